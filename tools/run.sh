#!/bin/sh
# The main job: five classifiers of handwritten digits, pictures, and the first as C that needs nothing.
# Everything goes to build/run.  Exit 1 when a step fails, the mean is below 97%, or a bit differs.
set -eu
cd "$(dirname "$0")/.."
porism=${PORISM:-build/release/porism}
out=build/run
digits=examples/digits/digits
data="X=@$digits.npz:x y=@$digits.npz:y"
begin=$(date +%s)
mkdir -p $out

echo 'Fitting a small network to 1,797 handwritten digits, a fifth of them held out.'
sum=0
for seed in 1 2 3 4 5; do
	# shellcheck disable=SC2086
	$porism fit $digits.por:train $data --seed $seed --save $out/model_$seed.npz --curve $out/loss_$seed.svg \
		--json >$out/fit_$seed.json
	accuracy=$(sed -n 's/.*"accuracy": \([0-9.e+-]*\).*/\1/p' $out/fit_$seed.json)
	printf 'seed %s: test accuracy %.2f%%\n' $seed "$(awk "BEGIN {print 100*$accuracy}")"
	sum=$(awk "BEGIN {print $sum + $accuracy}")
done
printf 'mean of five: %.2f%%\n' "$(awk "BEGIN {print 100*$sum/5}")"
awk "BEGIN {exit !($sum/5 >= 0.97)}" || { echo 'below 97%'; exit 1; }
cp $out/loss_1.svg $out/loss.svg

# The same seed again gives the same model, bit for bit.
# shellcheck disable=SC2086
$porism fit $digits.por:train $data --seed 1 --save $out/again.npz --quiet >/dev/null
cmp $out/model_1.npz $out/again.npz && echo 'seed 1 again: the same bits'

# What it misreads, and what is computed.
$porism run $digits.por:predict p=@$out/model_1.npz X=@$digits.npz:x -o $out/read.npy
$porism eval 'uniform[f64[1797]](key(1)[1])' -o $out/draw.npy
build/release/misread $digits.npz $out/read.npy $out/draw.npy 0.2 $out/misread.svg
# The gradient as a page: graphs of all stages, rules, and what a call takes.
# shellcheck disable=SC2086
$porism view $digits.por:gradient p=@$out/model_1.npz $data --seed 1 -o $out/gradient.html >/dev/null
$porism view $digits.por:gradient -o $out/gradient.svg >/dev/null

# The model as C: compiled by cc alone, asked about every picture, compared to the bit.
$porism run $digits.por:scores p=@$out/model_1.npz X=@$digits.npz:x -o $out/scores.npy
$porism eval 'X' X=@$digits.npz:x -o $out/pictures.npy
$porism build $digits.por:scores p=@$out/model_1.npz 'X: u8[m, 64]' --name digits_model -o $out >/dev/null
cc -o $out/standalone -I$out examples/digits/standalone.c $out/digits_model.c -lm
$out/standalone $out/pictures.npy $out/scores.npy
cc -c -o $out/digits_model.o $out/digits_model.c
echo "digits_model.c needs: $(nm -u $out/digits_model.o | awk '{print $2}' | grep -v '^_GLOBAL_OFFSET_TABLE_$' |
	sort | tr '\n' ' ')"
echo "written: $out/loss.svg $out/misread.svg $out/gradient.html $out/gradient.svg $out/digits_model.c $out/digits_model.h"
echo "$(($(date +%s) - begin)) seconds"

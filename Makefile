# A thin front: Meson and Ninja do the work.  `make help` lists what there is.
BUILD   := build/release
SANITIZED := build/asan
SECONDS ?= 60
PREFIX  ?= /usr/local
DESTDIR ?=
PEERS   ?= numpy
SUITES  ?= ../shared/suites
COUNT   ?= 1000000
STRIDE  ?= 1
SUITES  ?= ../shared/suites
EVERY   ?= 1
SEED    ?= 0
SAMPLES ?= 100000000
# How many sets of inputs check-stable takes, a minute each.
SEEDS   ?= 3
EXAMPLES ?= 2000
WORDS   ?= 16777216
DRAWS   ?= 100000000
DIEHARDER ?= 0 1 2 3 8 10 15 16 100 101 102
# What Meson looks at when it is set up, these folders and the packages that are here; a new one sets it up again.
LISTED  := { ls -d src/*/* src/*/*/* python/*/* python/*/*/* tests/*/* rules/* lib/*; tools/setup.sh --missing; }
BENCHES := $(sort $(patsubst bench/bench_%.py,%,$(wildcard bench/bench_*.py)))
# Debian's folder of libraries, as the compiler knows it: Meson asks dpkg-dev, which need not be here.
LIBDIR = $$(cc -print-multiarch 2>/dev/null | sed 's,..*,--libdir=lib/&,')
# What is built, and the seconds that it takes one core; what is built of it before is not counted again.
PRODUCT := product 110 'the library and the command'
EVERYTHING := all 80 'the tests and tools'

all: build
	@echo 'build/release/porism is the command; it begins with: $(BUILD)/porism --help'

help:
	@sed -n 's/^#: //p' $(MAKEFILE_LIST)

#: make                    builds the library and the command in build/release
build: ready
	@tools/build.sh $(BUILD) $(PRODUCT)

# Meson's folder, as the sources are now
ready: $(BUILD)/build.ninja
	@$(LISTED) | cmp -s - $(BUILD)/listed || { $(LISTED) >$(BUILD)/listed; \
	 meson setup --reconfigure $(BUILD) >/dev/null; }

$(BUILD)/build.ninja:
	@tools/setup.sh
	@echo 'Setting up $(BUILD)'
	@meson setup $(BUILD) --prefix=$(PREFIX) $(LIBDIR) >/dev/null || { cat $(BUILD)/meson-logs/meson-log.txt; exit 1; }
	@$(LISTED) >$(BUILD)/listed

#: make everything         builds the tests, tools and benches too
everything: build
	@tools/build.sh $(BUILD) $(EVERYTHING)

#: make setup              installs the packages that are missing; nothing after it needs a network
setup:
	@tools/setup.sh all

#: make run                the main job: five digit classifiers, pictures, standalone C
run:
	@$(MAKE) -s build
	@tools/run.sh

#: make test               all tests; the last line counts them
test:
	@tools/setup.sh all
	@$(MAKE) -s everything
	@meson test -C $(BUILD) --no-rebuild --print-errorlogs >$(BUILD)/test.out 2>&1; \
	 grep -E '^ *[0-9]+/[0-9]+ ' $(BUILD)/test.out; python3 tools/summary.py $(BUILD)/meson-logs/testlog.json

#: make test-errors        what bad input says, and the exit codes
test-errors: build
	@python3 tests/errors/test_errors.py $(BUILD)

#: make test-messages      mistakes in notation, files, on the command line, in C and in Python, and what is said of each
test-messages: everything
	@python3 tests/errors/test_habits.py $(BUILD)/porism
	@python3 tests/errors/test_messages.py $(BUILD)/porism
	@$(BUILD)/tests/mistakes
	@python=python3; [ -x build/venv/bin/python ] && python=build/venv/bin/python; \
	 $$python -B tests/python/mistakes.py $(BUILD)

#: make test-alloc         the n-th allocation fails, for every n; work and calls are cancelled at the n-th look
#:                         EVERY=n: one of n such places (1: each)
test-alloc: everything
	@{ $(BUILD)/tests/api_test_memory $(EVERY) 2>&1 || echo FAILED; $(BUILD)/tests/api_test_every_form $(EVERY) 2>&1 || echo FAILED; \
	   python3 tests/errors/test_refusals.py $(BUILD) || echo FAILED; } | \
	 tee $(BUILD)/alloc.out | grep -v '^survived'; \
	 awk '/survived/ {n += $$(NF - 2); m += $$NF} /FAILED/ {bad = 1} \
	      END {print "survived", n + 0, "of", m + bad; exit bad || !n}' $(BUILD)/alloc.out

#: make test-rules         rules that are not true are refused, true ones taken (tests/rewrite/wrong.por, right.por)
test-rules: build
	@ninja -C $(BUILD) tests/rewrite_test_checker >/dev/null
	@$(BUILD)/tests/rewrite_test_checker

#: make test-page          the pages of `porism view` in a headless Chromium, clicked through; pictures in build/page
test-page: build
	@python3 tests/page/test_page.py $(BUILD)/porism build/page || test $$? = 77

#: make test-hostile       sizes, bounds, counts, indices of data, bad ones too, in the four ways, under sanitizers
test-hostile:
	@tools/setup.sh all
	@[ -f $(SANITIZED)/build.ninja ] || CC=gcc meson setup $(SANITIZED) -Db_sanitize=address,undefined \
	 -Dbuildtype=debugoptimized -Doptimization=1 -Db_lundef=false -Dc_args=-Wno-format-truncation >/dev/null
	@ninja -C $(SANITIZED) --quiet tests/hostile_ways
	@python3 tests/hostile/test_hostile.py $(SANITIZED)

#: make test-lasting       10^5 cycles of jit, call and drop; threads, forks, ends of Python's at any moment
test-lasting: everything
	@CYCLES=100000 meson test -C $(BUILD) --no-rebuild --print-errorlogs python/test_lasting

#: make test-hunt          Python beside NumPy on what hypothesis (of PyPI) thinks of: EXAMPLES=n of each, others each time
test-hunt: everything
	@tools/peers.sh numpy pytest 'hypothesis>=6.151' >/dev/null
	@EXAMPLES=$(EXAMPLES) PYTHONPATH=$(BUILD)/python build/venv/bin/python -B -m pytest -q -p no:cacheprovider \
	 tests/python/test_hunt.py

#: make test-pytensor      PyTensor's own tests in our mode: SUITES=folder that holds `pytensor`, FILES='tests/...': only these
test-pytensor: everything
	@tools/peers.sh numpy pytest pytensor >/dev/null
	@build/venv/bin/python tests/python/run_suite_pytensor.py $(SUITES) $(BUILD) $(FILES) 2>$(BUILD)/suite_pytensor.out

#: make test-mutants       faults put in one at a time; the tests must catch each
test-mutants: everything
	@python3 tools/mutants.py

#: make test-docs          every page: its commands, programs and lines beside others' run and print what they say;
#:                         with numpy, jax, scipy, pytensor (make bench-peers PEERS='...') more of them
test-docs:
	@tools/setup.sh all
	@build/venv/bin/python -c 'import nbclient, ipykernel' 2>/dev/null || tools/setup.sh notebooks || \
	 echo 'the notebooks run as scripts, without Jupyter'
	@$(MAKE) -s everything
	@meson test -C $(BUILD) --no-rebuild --print-errorlogs --suite docs >$(BUILD)/docs.out 2>&1; \
	 grep -E '^ *[0-9]+/[0-9]+ ' $(BUILD)/docs.out; python3 tools/summary.py $(BUILD)/meson-logs/testlog.json

#: make test-newcomer      what someone new adds (operators, a rule, a function), in a copy of the sources
test-newcomer:
	@tools/setup.sh all
	@python3 tools/newcomer.py

#: make check-math         the accuracy of every function, into docs/accuracy.md when all are done; it goes on
#:                         where it was stopped, and does again what changed; STRIDE=k: every k-th f32 number,
#:                         SAMPLES=n: so many of f64, FUNCTIONS='exp log': only these
check-math:
	@tools/setup.sh all
	@$(MAKE) -s everything
	@$(BUILD)/tests/check_math --stride $(STRIDE) --samples $(SAMPLES) --record $(BUILD)/check_math.record \
	 --page docs/accuracy.md $(FUNCTIONS)
	@$(BUILD)/tests/check_complex --page docs/accuracy.md

#: make check-stable       rules of stable in surroundings and derived, against what was written; docs/stability.md
#:                         SEEDS=N sets of inputs, a minute each; 3 if not given
check-stable:
	@tools/setup.sh all
	@$(MAKE) -s build
	@ninja -C $(BUILD) tests/check_stable >/dev/null
	@$(BUILD)/tests/check_stable --seeds $(SEEDS) --page docs/stability.md

#: make check-constants    every constant of src/math derived anew (by mpmath), its error bound, where it stands
check-constants:
	@python3 -c 'import mpmath' 2>/dev/null && exec python3 tools/check_constants.py; \
	 tools/peers.sh mpmath && exec build/venv/bin/python tools/check_constants.py

#: make check-bits         the scalar functions from gcc, clang, every width, -O0 to -O3 and ARM; COUNT=n inputs
check-bits:
	@python3 tools/check_bits.py $(COUNT)

#: make check-maps         maps and pairs of maps, as gcc and clang understand them, against the evaluator; EVERY=n:
#:                         one of n pairs (1, hours; SEED=n: others)
check-maps: build
	@ninja -C $(BUILD) tests/check_maps
	@$(BUILD)/tests/check_maps --every $(EVERY) --seed $(SEED) --native gcc --native clang --alone 'gcc -O2' \
	 --alone 'clang -O2'

#: make check-random       statistical tests of the random words and draws; WORDS=n of each stream, DRAWS=n;
#:                         dieharder's DIEHARDER='0 1 2' too where it is installed
check-random: everything
	@$(BUILD)/tests/check_random --words $(WORDS) --draws $(DRAWS)
	@tools/dieharder.sh $(BUILD)/tests/check_random $(DIEHARDER)

#: make check-cuda         src/math compiled as CUDA device code by clang, nvcc and NVRTC, where they are, and
#:                         run on a GPU where there is one: the bits of the processor, and how fast
check-cuda:
	@python3 tools/check_cuda.py || test $$? = 77
	@python3 tools/run_cuda.py || test $$? = 77

benches: build
	@tools/build.sh $(BUILD) benches 20 'what the benches run'

#: make bench              all benches;  make bench-NAME: one (bench-matmul, bench-control, bench-sequences, ... of
#:                         bench/bench_*.py);  FULL=1: all sizes;  bench-pymc: SAMPLE=1: by NUTS, too
bench: benches
	@bad=0; for b in $(BENCHES); do echo "== $$b"; python3 bench/bench_$$b.py || bad=1; done; exit $$bad

bench-%: benches
	@python3 bench/bench_$*.py

#: make bench-peers        installs the peers (PEERS=numpy) from PyPI in build/venv
bench-peers:
	@tools/peers.sh $(PEERS)

#: make fuzz SECONDS=60    each fuzzer for so many seconds
fuzz:
	@tools/fuzz.sh $(SECONDS)

#: make wheel              the wheel of Python in build/wheel, installed and tested in a fresh environment (with PyPI), with a
#:                         C compiler and without one; PYTHONS='python3.12 ...': in one of each
wheel:
	@tools/setup.sh all
	@tools/wheel.sh $(PYTHONS)

#: make test-array-api     the conformance tests of the array API standard on porism.array_api: SUITES=FOLDER has them in
#:                         array-api-tests; what fails has its reason in tests/python/array_api.txt
test-array-api: everything
	@tools/peers.sh numpy pytest 'hypothesis>=6.151' 'ndindex>=1.8' pytest-json-report >/dev/null
	@python3 tools/array_api.py $(SUITES)

#: make install            PREFIX=/usr/local, DESTDIR=: command, library, manual, completion, examples
install: build
	@[ "$$(meson introspect $(BUILD) --buildoptions | python3 -c 'import json, sys; \
	 print(*(o["value"] for o in json.load(sys.stdin) if o["name"] == "prefix"))')" = "$(PREFIX)" ] || \
	 { meson configure $(BUILD) --prefix=$(PREFIX) >/dev/null && tools/build.sh $(BUILD) $(PRODUCT); }
	@tools/install.sh $(BUILD) $(DESTDIR)

#: make uninstall          takes away what `make install` put in place
uninstall:
	@tools/install.sh --remove $(BUILD)

#: make clean              removes build/
clean:
	rm -rf build

.PHONY: all help build ready everything benches setup run test test-errors test-messages test-alloc test-rules test-page test-pytensor test-lasting test-hunt test-hostile test-mutants test-newcomer test-docs \
	check-math check-constants check-bits check-maps check-stable \
	check-random check-cuda bench bench-peers fuzz install uninstall clean wheel test-array-api

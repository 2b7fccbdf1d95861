"""Enough of porism.h for the benches, through ctypes."""
import ctypes as c
import os
import types

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
BUILD = os.environ.get("BUILD", os.path.join(ROOT, "build", "release"))
lib = c.CDLL(os.path.join(BUILD, "libporism.so"))
timer = c.CDLL(os.path.join(BUILD, "bench", "libtimer.so"))

BACKGROUND, INTERPRET, NATIVE, CACHED, REFERENCE = range(5)
DTYPES = {"bool": 1, "i32": 4, "i64": 5, "u8": 6, "f16": 10, "bf16": 11, "f32": 12, "f64": 13}


class Array(c.Structure):
    _fields_ = [("data", c.c_void_p), ("device_type", c.c_int32), ("device_id", c.c_int32), ("ndim", c.c_int32),
                ("code", c.c_uint8), ("bits", c.c_uint8), ("lanes", c.c_uint16), ("shape", c.POINTER(c.c_int64)),
                ("strides", c.POINTER(c.c_int64)), ("byte_offset", c.c_uint64)]


class Options(c.Structure):
    _fields_ = [("size", c.c_size_t), ("tier", c.c_int32), ("threads", c.c_int32), ("laws", c.c_uint32),
                ("no_rules", c.c_int32), ("rules_off", c.c_char_p), ("target", c.c_char_p), ("cache", c.c_char_p),
                ("compiler", c.c_char_p), ("compile_seconds", c.c_double), ("memory_cap", c.c_uint64),
                ("donate", c.c_int32), ("facts_unchecked", c.c_int32), ("keep_stages", c.c_int32),
                ("profile", c.c_int32), ("parallel_for", c.c_void_p), ("parallel_user", c.c_void_p),
                ("progress", c.c_void_p), ("progress_user", c.c_void_p), ("alternate", c.c_int32)]


class Error(c.Structure):
    _fields_ = [("code", c.c_int32), ("line", c.c_int32), ("column", c.c_int32), ("argument", c.c_int32),
                ("file", c.c_char*240), ("text", c.c_char*768)]


for name, result, args in [
        ("por_open", c.c_void_p, [c.c_void_p]), ("por_close", None, [c.c_void_p]),
        ("por_graph_error", c.POINTER(Error), [c.c_void_p]),
        ("por_load", c.c_void_p, [c.c_void_p, c.c_char_p, c.c_int64, c.c_char_p]),
        ("por_function_named", c.c_void_p, [c.c_void_p, c.c_char_p, c.c_int, c.c_void_p]),
        ("por_compile_function", c.c_void_p, [c.c_void_p, c.POINTER(Options)]),
        ("por_program_free", None, [c.c_void_p]), ("por_program_tier", c.c_int, [c.c_void_p]),
        ("por_program_error", c.POINTER(Error), [c.c_void_p]), ("por_wait", c.c_int, [c.c_void_p, c.c_double]),
        ("por_program_inputs", c.c_int, [c.c_void_p]), ("por_program_outputs", c.c_int, [c.c_void_p]),
        ("por_program_input", c.c_char_p, [c.c_void_p, c.c_int]),
        ("por_frame_new", c.c_void_p, [c.c_void_p]), ("por_frame_free", None, [c.c_void_p]),
        ("por_frame_error", c.POINTER(Error), [c.c_void_p]),
        ("por_frame_result", c.POINTER(Array), [c.c_void_p, c.c_int]),
        ("por_call", c.c_int, [c.c_void_p, c.c_void_p, c.c_int, c.POINTER(Array), c.c_int, c.POINTER(Array)]),
        ("por_explain", c.c_void_p, [c.c_void_p, c.c_char_p]), ("por_text_free", None, [c.c_void_p])]:
    function = getattr(lib, name)
    function.restype, function.argtypes = result, args
timer.bench_calls.restype = c.c_double
timer.bench_calls.argtypes = [c.c_void_p, c.c_void_p, c.c_int, c.POINTER(Array), c.c_int, c.POINTER(Array), c.c_int64]
for name in ("bench_peak_f32", "bench_peak_f64", "bench_bandwidth"):
    getattr(timer, name).restype = c.c_double


class Failed(Exception):
    pass


def plain(shape, dtype, values):
    """An array of floats without NumPy, with as much of its interface as array() asks for."""
    held = ({"f32": c.c_float, "f64": c.c_double}[dtype]*max(len(values), 1))(*values)
    return types.SimpleNamespace(held=held, shape=tuple(shape), ndim=len(shape), ctypes=types.SimpleNamespace(
        data=c.addressof(held)), dtype=types.SimpleNamespace(kind="f", itemsize=int(dtype[1:])//8))


def array(x):
    """A view of a NumPy array (compact), or of a plain one."""
    a = Array()
    kind = {"f": 2, "i": 0, "u": 1, "b": 6, "c": 5}[x.dtype.kind]
    a.data, a.device_type, a.ndim = x.ctypes.data, 1, x.ndim
    a.code, a.bits, a.lanes = kind, 8*x.dtype.itemsize, 1
    shape = (c.c_int64*max(x.ndim, 1))(*x.shape)
    a.shape = c.cast(shape, c.POINTER(c.c_int64))
    a.keep = (x, shape)
    return a


def arrays(xs):
    made = [array(x) for x in xs]
    out = (Array*max(len(made), 1))(*made)
    out.keep = made
    return out


class Program:
    """A function of a text of the notation, compiled."""

    def __init__(self, text, name, tier=NATIVE, threads=1, cache=None, compiler=None, dtype=None, file="bench.por"):
        if dtype:
            text = text.replace("T[", dtype + "[")      # what the file leaves open
        self.graph = lib.por_open(None)
        module = lib.por_load(self.graph, text.encode(), -1, file.encode())
        self.function = lib.por_function_named(module, name.encode(), 0, None)
        self.handle = None
        self.check(self.function)
        self.compile(tier, threads, cache, compiler)
        self.frame = lib.por_frame_new(self.handle)

    def compile(self, tier, threads=1, cache=None, compiler=None):
        o = Options(size=c.sizeof(Options), tier=tier, threads=threads, cache=cache.encode() if cache else None,
                    compiler=compiler.encode() if compiler else None)
        self.handle = lib.por_compile_function(self.function, c.byref(o))
        self.check(self.handle)

    def check(self, handle):
        if not handle:
            e = lib.por_graph_error(self.graph).contents
            raise Failed(f"{e.file.decode()}:{e.line}: {e.text.decode()}")

    def call(self, xs, outs):
        if lib.por_call(self.handle, self.frame, len(xs), arrays(xs), len(outs), arrays(outs)):
            raise Failed(lib.por_frame_error(self.frame).contents.text.decode())

    def calls(self, xs, outs):
        """n -> seconds of n calls, from C."""
        a, o = arrays(xs), arrays(outs)

        def many(n):
            t = timer.bench_calls(self.handle, self.frame, len(xs), a, len(outs), o, n)
            if t < 0:
                raise Failed(lib.por_frame_error(self.frame).contents.text.decode())
            return t
        return many

    def free(self):
        if self.handle:
            lib.por_frame_free(self.frame)
            lib.por_program_free(self.handle)
        lib.por_close(self.graph)

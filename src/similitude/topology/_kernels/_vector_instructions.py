"""Operations on sets of vertices and on rows of distances, as vector instructions.

Kernels spend their time in loops of a few words, which compilers do not vectorize. Here
they are written as LLVM vectors, and the compiler adapts them to the machine. The cache
of a kernel depends only on the kernel's own file: after a change here, delete it.
"""

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

BLOCK = 8  # words of a set of vertices per vector
LANES = 16  # distances of a row per vector
NEAREST = 8  # neighbors that are tested together

_SETS, _PLACE = types.uint64[::1], types.int64
_ROWS = types.float32[:, ::1]
_INT1, _INT64 = ir.IntType(1), ir.IntType(64)


@intrinsic
def lowest(typing_context, word):
    """Position of the lowest bit that is set in a nonzero word."""

    def build(context, builder, signature, arguments):
        return builder.cttz(arguments[0], ir.Constant(_INT1, 1))

    return types.int64(types.uint64), build


@intrinsic
def highest(typing_context, word):
    """Position of the highest bit that is set in a nonzero word."""

    def build(context, builder, signature, arguments):
        zeros = builder.ctlz(arguments[0], ir.Constant(_INT1, 1))
        return builder.sub(ir.Constant(_INT64, 63), zeros)

    return types.int64(types.uint64), build


class _Sets:
    """The array of sets, inside an instruction on vectors of `words` words."""

    def __init__(self, context, builder, sets, words):
        self.builder = builder
        self.base = context.make_array(_SETS)(context, builder, sets).data
        self.words = words
        self.vector = ir.VectorType(_INT64, words)
        self.none = ir.Constant(self.vector, [0] * words)

    def at(self, position):
        pointer = self.builder.gep(self.base, [position])
        return self.builder.bitcast(pointer, self.vector.as_pointer())

    def load(self, position):
        return self.builder.load(self.at(position), align=8)

    def neighbors(self, v):
        return self.load(self.builder.mul(v, ir.Constant(_INT64, self.words)))

    def marks(self, members):
        """One bit per word: whether it is nonzero."""
        full = self.builder.icmp_unsigned("!=", members, self.none)
        bits = self.builder.bitcast(full, ir.IntType(self.words))
        return self.builder.zext(bits, _INT64)

    def end(self, members, otherwise, *, last):
        """The first or last vertex of a set, or `otherwise` if the set is empty."""
        b = self.builder
        marks = self.marks(members)
        some = b.icmp_unsigned("!=", marks, ir.Constant(_INT64, 0))
        word = self._scan(b.select(some, marks, ir.Constant(_INT64, 1)), last=last)
        bit = self._scan(b.extract_element(members, word), last=last)
        return b.select(
            some, b.add(b.shl(word, ir.Constant(_INT64, 6)), bit), otherwise
        )

    def _scan(self, word, *, last):
        if not last:
            return self.builder.cttz(word, ir.Constant(_INT1, 0))
        above = self.builder.ctlz(word, ir.Constant(_INT1, 0))
        return self.builder.sub(ir.Constant(_INT64, 63), above)


def _block_instruction(count, combine):
    """An instruction sets[to] = combine(...) on a block; returns its nonzero words.

    The arguments are the array, `to`, and the positions of `count` blocks.
    """

    def build(context, builder, signature, arguments):
        s = _Sets(context, builder, arguments[0], BLOCK)
        result = combine(builder, *(s.load(p) for p in arguments[2:]))
        builder.store(result, s.at(arguments[1]), align=8)
        return s.marks(result)

    return types.uint64(_SETS, *[_PLACE] * (count + 1)), build


def _without(b, p, q):
    return b.and_(p, b.not_(q))


@intrinsic
def intersection(typing_context, sets, to, p, q):
    """p & q."""
    return _block_instruction(2, lambda b, p, q: b.and_(p, q))


@intrinsic
def difference(typing_context, sets, to, p, q):
    """p - q."""
    return _block_instruction(2, _without)


@intrinsic
def common(typing_context, sets, to, p, q, r, s):
    """(p & q & r) - s."""
    return _block_instruction(
        4, lambda b, p, q, r, s: _without(b, b.and_(p, b.and_(q, r)), s)
    )


@intrinsic
def missed(typing_context, sets, to, p, q, c, d, e, f):
    """p & q outside the union of c, d, e and f."""
    return _block_instruction(
        6,
        lambda b, p, q, c, d, e, f: _without(
            b, b.and_(p, q), b.or_(b.or_(c, d), b.or_(e, f))
        ),
    )


def _certificate(words, steps):
    """An instruction: whether a short search shows that the lune of ab is connected.

    c, d, e and f are connected vertices of the lune. Each step takes the first and the
    last vertex that are not yet connected to them, and connects both by a common
    neighbor. Without branches, a processor works on several edges at a time.
    """

    @intrinsic
    def certificate(typing_context, sets, a, b, c, d, e, f):
        def build(context, builder, signature, arguments):
            s = _Sets(context, builder, arguments[0], words)
            a, b, *joined = arguments[1:]
            lune = builder.and_(s.neighbors(a), s.neighbors(b))
            around = s.none
            for v in joined:
                around = builder.or_(around, s.neighbors(v))
            for _ in range(steps):
                near = builder.and_(lune, around)
                far = builder.and_(lune, builder.not_(around))
                for last in (False, True):
                    u = s.end(far, joined[0], last=last)
                    common = builder.and_(near, s.neighbors(u))
                    v = s.end(common, joined[0], last=False)
                    around = builder.or_(around, s.neighbors(v))
            left = builder.and_(lune, builder.not_(around))
            return builder.icmp_unsigned("==", s.marks(left), ir.Constant(_INT64, 0))

        return types.boolean(_SETS, *[types.int64] * 6), build

    return certificate


certificate_8 = _certificate(8, 2)
certificate_16 = _certificate(16, 2)


class _Rows:
    """A matrix of distances; the length of a row is a whole number of vectors."""

    def __init__(self, context, builder, matrix):
        array = context.make_array(_ROWS)(context, builder, matrix)
        self.builder, self.base = builder, array.data
        self.width = builder.extract_value(array.shape, 1)
        self.vector = ir.VectorType(ir.FloatType(), LANES)

    def load(self, row, column):
        b = self.builder
        pointer = b.gep(self.base, [b.add(b.mul(row, self.width), column)])
        return b.load(b.bitcast(pointer, self.vector.as_pointer()), align=4)

    def spread(self, value):
        """The same number in every lane."""
        one = self.builder.insert_element(
            ir.Constant(self.vector, ir.Undefined), value, ir.Constant(_INT64, 0)
        )
        lanes = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
        return self.builder.shuffle_vector(one, one, lanes)

    def bits(self, truths):
        b = self.builder
        return b.zext(b.bitcast(truths, ir.IntType(LANES)), _INT64)


@intrinsic
def within(typing_context, k, a, b, column, bound):
    """One bit per lane: whether rows a and b of k are at most `bound`."""

    def build(context, builder, signature, arguments):
        rows = _Rows(context, builder, arguments[0])
        a, b, column, bound = arguments[1:]
        bound = rows.spread(bound)
        near_a = builder.fcmp_ordered("<=", rows.load(a, column), bound)
        near_b = builder.fcmp_ordered("<=", rows.load(b, column), bound)
        return rows.bits(builder.and_(near_a, near_b))

    return types.uint64(_ROWS, *[_PLACE] * 3, types.float32), build


@intrinsic
def none_nearer(typing_context, k, a, column, nearest):
    """One bit per lane b: whether no c of `nearest` is closer to a and b than ab is."""
    neighbors = types.int64[::1]

    def build(context, builder, signature, arguments):
        rows = _Rows(context, builder, arguments[0])
        a, column = arguments[1:3]
        places = context.make_array(neighbors)(context, builder, arguments[3]).data
        bound = rows.load(a, column)
        found = ir.Constant(ir.VectorType(_INT1, LANES), [0] * LANES)
        for h in range(NEAREST):
            c = builder.load(builder.gep(places, [ir.Constant(_INT64, h)]))
            to_c = builder.add(builder.mul(a, rows.width), c)
            to_c = rows.spread(builder.load(builder.gep(rows.base, [to_c])))
            from_c = rows.load(c, column)
            way = builder.select(builder.fcmp_ordered(">", to_c, from_c), to_c, from_c)
            found = builder.or_(found, builder.fcmp_ordered("<", way, bound))
        return rows.bits(builder.not_(found))

    return types.uint64(_ROWS, *[_PLACE] * 2, neighbors), build

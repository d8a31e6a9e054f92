"""The innermost loop of the compiled engine on processors that multiply bytes: 64 scores in one instruction.

The instruction, vpdpbusd of AVX-512 VNNI, multiplies bytes and adds the products to integers of 32 bits, four to each.
numba has no name for it and compiles no ordinary loop to it, so this loop is written as LLVM code.  Importing this
module imports numba.
"""

from typing import Any, Final

import numba  # whole before its parts, or a thread that comes meanwhile finds half of it
import numpy as np
from llvmlite import binding, ir
from numba.core import cgutils, types
from numba.core.registry import cpu_target
from numba.extending import intrinsic

__all__ = ["COLUMNS", "MOST", "ROWS", "add", "available"]

MOST: Final = 127  # the instruction reads one of the two bytes with a sign, and two scores are added in a byte
LANES: Final = 64
REGISTERS: Final = 8
COLUMNS: Final = REGISTERS * LANES  # the length of a row is a multiple of this
ROWS: Final = 2  # and the number of rows a multiple of this
ROWS_HELD: Final = 1 << 15  # 4 · MOST² · ROWS_HELD < 2^31

BYTE, INT, LONG = (ir.IntType(bits) for bits in (8, 32, 64))
BYTES, INTS, LONGS = (ir.VectorType(kind, n) for kind, n in ((BYTE, LANES), (INT, LANES // 4), (LONG, LANES // 4)))


def available() -> bool:
    """Say whether numba compiles for a processor that has the instruction, and have it named to the compiler."""
    binding.initialize_native_asmparser()
    features = cpu_target.target_context.codegen().magic_tuple()[2].split(",")
    return not numba.config.DISABLE_JIT and {"+avx512f", "+avx512vnni"} <= set(features)


def _tile(_: Any, row: Any, offsets: Any, column: Any, start: Any, stop: Any) -> Any:
    """Return the type and the code of Σ f and Σ f², f = row[column : column + COLUMNS] + offsets[start:stop]."""
    return types.UniTuple(types.uint64, 2)(row, offsets, column, start, stop), _write


def _write(context: Any, code: Any, signature: Any, arguments: Any) -> Any:
    """Write the code: a part of the row stays in registers, and all offsets are added to it."""
    row, offsets = (
        context.make_array(kind)(context, code, value).data
        for kind, value in zip(signature.args, arguments[:2], strict=False)
    )
    column, start, stop = arguments[2:]

    multiply_add = ir.InlineAsm(ir.FunctionType(INTS, [INTS, BYTES, BYTES]), "vpdpbusd $3, $2, $0", "=v,0,v,v")
    add_across = cgutils.get_or_insert_function(
        code.module, ir.FunctionType(LONG, [LONGS]), f"llvm.vector.reduce.add.v{LANES // 4}i64"
    )
    ones, undefined = BYTES([1] * LANES), BYTES(ir.Undefined)

    def of_row(register: int) -> Any:
        place = code.gep(row, [code.add(column, LONG(register * LANES))])
        return code.load(code.bitcast(place, BYTES.as_pointer()), align=1)

    def of_offset(index: Any) -> Any:
        one = code.insert_element(undefined, code.load(code.gep(offsets, [index])), INT(0))
        return code.shuffle_vector(one, undefined, ir.VectorType(INT, LANES)([0] * LANES))

    def sums() -> list[Any]:
        return [cgutils.alloca_once_value(code, INTS([0] * (LANES // 4))) for _ in range(REGISTERS)]

    def add_products(place: Any, left: Any, right: Any) -> None:
        code.store(code.call(multiply_add, [code.load(place), left, right]), place)

    def whole(places: list[Any]) -> Any:
        total = LONG(0)
        for place in places:
            total = code.add(total, code.call(add_across, [code.zext(code.load(place), LONGS)]))
        return total

    low, totals, squares = [of_row(register) for register in range(REGISTERS)], sums(), sums()
    with cgutils.for_range_slice(code, start, stop, LONG(ROWS)) as (index, _):
        pair = [of_offset(code.add(index, LONG(number))) for number in range(ROWS)]
        for f_low, total, square in zip(low, totals, squares, strict=True):
            first, second = (code.add(f_low, offset) for offset in pair)
            add_products(square, first, first)
            add_products(square, second, second)
            add_products(total, code.add(first, second), ones)
    return context.make_tuple(code, signature.return_type, [whole(totals), whole(squares)])


_add_tile: Any = intrinsic(_tile)


def add(row: Any, offsets: Any) -> Any:
    """Return Σ f and Σ f² of f = row + offset, bytes from 0 to `MOST`; compiled before it is called."""
    total, squares = np.uint64(0), np.uint64(0)
    for column in range(0, row.size, COLUMNS):
        for start in range(0, offsets.size, ROWS_HELD):
            some, some_squares = _add_tile(row, offsets, column, start, min(start + ROWS_HELD, offsets.size))
            total += some
            squares += some_squares
    return total, squares

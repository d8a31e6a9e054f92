"""Attention beside torch, where torch is installed: the same gradients from code that is not ours.

Without torch nothing is lost that the other tests do not show: exact chain rules, and differences in 60 digits.
"""

from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest

from exact.attention import attend, attend_back, scores_gradient, softmax

pytestmark = pytest.mark.skipif(find_spec("torch") is None, reason="torch is not installed")


@pytest.fixture(scope="module")
def torch() -> Any:
    return import_module("torch")


def near(ours: Any, theirs: Any, terms: int, size: float) -> bool:
    """Whether two roundings of sums of `terms` products of `size` at most may be all that parts them."""
    return bool(np.abs(ours - theirs.numpy()).max() <= 4 * terms * np.finfo(ours.dtype).eps * size)


@pytest.mark.parametrize("name", ["float32", "float64"])
@pytest.mark.parametrize("shape", [(3, 5), (2, 4, 64), (1, 2, 3, 1000)])
def test_softmax_and_its_way_back_are_torchs(torch: Any, name: str, shape: tuple[int, ...]) -> None:
    generator = np.random.default_rng(len(shape))
    E, G = (generator.standard_normal(shape).astype(name) for _ in range(2))
    e = torch.tensor(E, requires_grad=True)
    a = torch.softmax(e, -1)
    a.backward(torch.tensor(G))
    A = softmax(E)
    size = float(np.abs(G).max())
    assert near(A, a.detach(), shape[-1], 1.0)
    assert near(scores_gradient(A, G), e.grad, shape[-1], size)


@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("shape", [(4, 6, 5, 3), (64, 64, 32, 16)])
def test_attention_forward_and_back_are_torchs(torch: Any, masked: bool, shape: tuple[int, ...]) -> None:
    n, m, d, v = shape
    generator = np.random.default_rng(n)
    Q, K, V = (generator.standard_normal((2, *rest)) for rest in ((n, d), (m, d), (m, v)))
    dO = generator.standard_normal((2, n, v))
    mask = np.tri(n, m, dtype=bool) if masked else None
    tensors = [torch.tensor(x, requires_grad=True) for x in (Q, K, V)]
    kept = None if mask is None else torch.tensor(mask)
    output = torch.nn.functional.scaled_dot_product_attention(*tensors, attn_mask=kept)
    output.backward(torch.tensor(dO))
    there = attend(Q, K, V, mask)
    back = attend_back(Q, K, V, there, dO)
    size = float(max(np.abs(x).max() for x in (Q, K, V)) ** 2 * np.abs(dO).max())
    assert near(there.output, output.detach(), m * d, size)
    for found, tensor in zip((back.Q, back.K, back.V), tensors, strict=True):
        assert near(found, tensor.grad, m * d, size)

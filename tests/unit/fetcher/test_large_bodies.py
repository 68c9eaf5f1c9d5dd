"""Large bodies take turns; each turn that is taken is given on."""

from nephila_fetcher.large_bodies import LargeBodies


def test_turns_are_given_on_in_order_and_never_lost() -> None:
    admitted: list[str] = []
    bodies = LargeBodies(at_once=1)
    first = bodies.enter(lambda: admitted.append("first"))
    second = bodies.enter(lambda: admitted.append("second"))
    third = bodies.enter(lambda: admitted.append("third"))
    assert (first.admitted, second.admitted, third.admitted) == (True, False, False)
    bodies.leave(second)  # It gave up while it waited.
    bodies.leave(first)
    assert admitted == ["third"]
    bodies.leave(third)
    assert bodies.enter(lambda: None).admitted
    assert not bodies.enter(lambda: None).admitted

"""The tour as data."""

from __future__ import annotations

import json

from bitmeter.tour import topics
from bitmeter.web.lessons import lesson_data, lesson_list, named_lesson
from tests.web.serving import client_of


def test_all_lessons_are_there_without_their_answers() -> None:
    assert [one["name"] for one in lesson_list()] == [one.name for one in topics()]
    for lesson in topics():
        data = lesson_data(lesson)
        assert client_of().get(f"/api/lessons/{lesson.name}").json() == data
        assert all(set(one) == {"question", "hint"} for one in data["exercises"])
        assert "exercise" not in json.dumps(data["blocks"]).split('"kind"')[0]


def test_answers_are_judged() -> None:
    client = client_of()
    path = "/api/lessons/information/exercises/1"
    wrong = client.post(path, json={"answer": "4"}).json()
    assert (wrong["kind"], wrong["answer"]) == ("wrong", "5 bits")
    assert wrong["solution"]
    assert client.post(path, json={"answer": "5"}).json()["kind"] == "right"
    odd = client.post(path, json={"answer": "__import__('os')"}).json()
    assert (odd["kind"], odd["solution"]) == ("unreadable", "")
    assert client.post("/api/lessons/information/exercises/9", json={"answer": "4"}).status_code == 404
    assert client.get("/api/lessons/nothing").status_code == 404
    assert named_lesson("nothing") is None

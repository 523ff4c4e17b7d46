"""A conversation over HTTP, on every database."""

from __future__ import annotations

from support.service_world import client_of


def test_question_answer_recommendation_reward(url: str) -> None:
    with client_of(url) as client:
        question = client.post("/v1/users/ann/next").json()
        assert question["type"] == "question"
        again = client.post("/v1/users/ann/next").json()
        assert again == question
        answer = {"question": question["question"], "answer": "yes"}
        assert client.post("/v1/users/ann/answers", json=answer).json() == {
            "event": 2,
            "repeated": False,
        }
        advice = client.post("/v1/users/ann/next", json={"k": 3}).json()
        assert advice["type"] == "recommendation"
        assert len(advice["items"]) == 3
        reward = {"decision": advice["decision"], "item": advice["items"][0]["item"], "reward": 1}
        assert client.post("/v1/users/ann/rewards", json=reward).status_code == 200
        profile = client.get("/v1/users/ann").json()
        assert [each["kind"] for each in profile["events"]] == [
            *("reward", "recommendation", "answer", "question")
        ]
        item = advice["items"][1]["item"]
        why = client.get("/v1/users/ann/explain", params={"item": item}).json()
        parts = sum(each["contribution"] for each in why["contributions"]) + why["rest"]
        assert abs(parts - why["mean"]) < 1e-9
        assert client.delete("/v1/users/ann/events/2").status_code == 200
        assert client.delete("/v1/users/ann").status_code == 204
        assert client.get("/v1/users/ann").status_code == 404

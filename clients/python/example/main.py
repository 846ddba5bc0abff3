"""Asks for a list, tells what was seen of it, and reads an error by its reason."""

import json
import os
import sys
import urllib.parse
import urllib.request

import grpc
from google.rpc import error_details_pb2  # type: ignore[import-untyped]
from grpc_status import rpc_status

from personalisation.v1 import event_pb2, event_service_pb2, event_service_pb2_grpc
from personalisation.v1 import recommendation_pb2, recommendation_service_pb2, recommendation_service_pb2_grpc

ENVIRONMENT = os.environ["PERSONALISATION_ENVIRONMENT"]
TIMEOUT_SECONDS = 30

# Calls that may be made twice are made again when the service was away; gRPC itself bounds how often.
SERVICE_CONFIG = json.dumps({
    "methodConfig": [{
        "name": [
            {"service": "personalisation.v1.RecommendationService"},
            {"service": "personalisation.v1.SearchService"},
        ],
        "retryPolicy": {
            "maxAttempts": 3, "initialBackoff": "0.05s", "maxBackoff": "1s", "backoffMultiplier": 2,
            "retryableStatusCodes": ["UNAVAILABLE"],
        },
    }],
    "retryThrottling": {"maxTokens": 20, "tokenRatio": 0.1},
})


def token() -> str:
    """Valid for a day; a program that runs longer keeps expires_in."""
    form = {
        "grant_type": "client_credentials",
        "client_id": os.environ["PERSONALISATION_CLIENT_ID"],
        "client_secret": os.environ["PERSONALISATION_CLIENT_SECRET"],
    }
    address = f"{os.environ['PERSONALISATION_URL']}/api/oauth/token"
    with urllib.request.urlopen(address, urllib.parse.urlencode(form).encode()) as answer:
        return str(json.load(answer)["access_token"])


def reason_of(error: grpc.RpcError) -> str:
    """One of the contract's names, e.g. CONFIGURATION_UNKNOWN."""
    if not isinstance(error, grpc.Call):
        return "UNKNOWN"
    status = rpc_status.from_call(error)
    for detail in status.details if status else []:
        info = error_details_pb2.ErrorInfo()
        if detail.Unpack(info):
            return str(info.reason)
    return str(error.code().name)


def sign_out(channel: grpc.Channel, device_id: str) -> None:
    """Ends the link of the device to its user; then give the device a new id."""
    event = event_pb2.Event(
        event_type=event_pb2.EVENT_TYPE_USER_INTERACTION, interaction_type="sign_out", device_id=device_id
    )
    event_service_pb2_grpc.EventServiceStub(channel).CreateEvents(
        event_service_pb2.CreateEventsRequest(
            environment=ENVIRONMENT, batch=event_pb2.EventBatch(events=[event])
        ),
        timeout=TIMEOUT_SECONDS,
        metadata=(("authorization", f"Bearer {token()}"),),
    )


def main() -> None:
    options = [("grpc.service_config", SERVICE_CONFIG)]
    with grpc.insecure_channel(os.environ["PERSONALISATION_ADDRESS"], options=options) as channel:
        recommendations = recommendation_service_pb2_grpc.RecommendationServiceStub(channel)
        request = recommendation_service_pb2.CreateRecommendationsRequest(
            environment=ENVIRONMENT,
            request=recommendation_pb2.RecommendationRequest(
                device_id="python-example",
                page_type="home",
                lists=[recommendation_pb2.RequestList(
                    configuration_id=os.environ["PERSONALISATION_CONFIGURATION"],
                    list_name="for you",
                    list_size=3,
                )],
            ),
        )
        answer = recommendations.CreateRecommendations(request, timeout=TIMEOUT_SECONDS).recommendations
        for item in answer.lists[0].items:
            print(item.rank, item.item_id)

        events = event_service_pb2.EventBatch(events=[
            event_pb2.Event(
                event_type=event_pb2.EVENT_TYPE_IMPRESSION,
                device_id=answer.device_id,
                page_type="home",
                list_name="for you",
                action_item=item.item_id,
                request_id=answer.request_id,
                user_group=answer.user_group,
                version=answer.version,
                # Makes it safe to send the event again.
                event_id=f"{answer.request_id}-{item.item_id}",
            )
            for item in answer.lists[0].items
        ])
        stored = event_service_pb2_grpc.EventServiceStub(channel).CreateEvents(
            event_service_pb2.CreateEventsRequest(environment=ENVIRONMENT, batch=events),
            timeout=TIMEOUT_SECONDS,
            metadata=(("authorization", f"Bearer {token()}"),),
        )
        print("stored", stored.accepted_count)
        sign_out(channel, answer.device_id)


if __name__ == "__main__":
    try:
        main()
    except grpc.RpcError as failure:
        sys.exit(f"{reason_of(failure)} {failure.details()}")

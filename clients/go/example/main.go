// Asks for a list, tells what was seen of it, and reads an error by its reason.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net/http"
	"net/url"
	"os"
	"time"

	"connectrpc.com/connect"
	"google.golang.org/genproto/googleapis/rpc/errdetails"

	personalisation "example.com/shop/gen/personalisation/v1"
	"example.com/shop/gen/personalisation/v1/personalisationv1connect"
)

func main() {
	baseURL, environment := os.Getenv("PERSONALISATION_URL"), os.Getenv("PERSONALISATION_ENVIRONMENT")
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()

	recommendations := personalisationv1connect.NewRecommendationServiceClient(http.DefaultClient, baseURL)
	size := int32(3)
	answer, err := recommendations.CreateRecommendations(ctx, connect.NewRequest(&personalisation.CreateRecommendationsRequest{
		Environment: environment,
		Request: &personalisation.RecommendationRequest{
			DeviceId: "go-example",
			PageType: "home",
			Lists: []*personalisation.RequestList{{
				ConfigurationId: os.Getenv("PERSONALISATION_CONFIGURATION"), ListName: "for you", ListSize: &size,
			}},
		},
	}))
	if err != nil {
		log.Fatalf("no list: %s %v", reasonOf(err), err)
	}
	lists := answer.Msg.Recommendations
	var events []*personalisation.Event
	for _, item := range lists.Lists[0].Items {
		fmt.Println(item.Rank, item.ItemId)
		events = append(events, impression(lists, item.ItemId))
	}

	authorize := connect.WithInterceptors(bearer(token(baseURL)))
	sender := personalisationv1connect.NewEventServiceClient(http.DefaultClient, baseURL, authorize)
	stored, err := sender.CreateEvents(ctx, connect.NewRequest(&personalisation.CreateEventsRequest{
		Environment: environment,
		Batch:       &personalisation.EventBatch{Events: events},
	}))
	if err != nil {
		log.Fatalf("no events: %s %v", reasonOf(err), err)
	}
	fmt.Println("stored", stored.Msg.AcceptedCount)
	if err := signOut(ctx, sender, environment, "go-example"); err != nil {
		log.Fatalf("not signed out: %s %v", reasonOf(err), err)
	}
}

// Ends the link of the device to its user; then give the device a new id.
func signOut(ctx context.Context, sender personalisationv1connect.EventServiceClient, environment, deviceID string) error {
	kind := "sign_out"
	_, err := sender.CreateEvents(ctx, connect.NewRequest(&personalisation.CreateEventsRequest{
		Environment: environment,
		Batch: &personalisation.EventBatch{Events: []*personalisation.Event{{
			EventType: personalisation.EventType_EVENT_TYPE_USER_INTERACTION, InteractionType: &kind, DeviceId: &deviceID,
		}}},
	}))
	return err
}

// An id makes it safe to send an event again.
func impression(lists *personalisation.Recommendations, itemID string) *personalisation.Event {
	deviceID, pageType, listName := "go-example", "home", "for you"
	eventID := fmt.Sprintf("%s-%s", lists.RequestId, itemID)
	return &personalisation.Event{
		EventType: personalisation.EventType_EVENT_TYPE_IMPRESSION,
		DeviceId:  &deviceID, PageType: &pageType, ListName: &listName, ActionItem: &itemID,
		RequestId: &lists.RequestId, UserGroup: &lists.UserGroup, Version: &lists.Version, EventId: &eventID,
	}
}

// Valid for a day; a program that runs longer keeps expires_in.
func token(baseURL string) string {
	response, err := http.PostForm(baseURL+"/api/oauth/token", url.Values{
		"grant_type":    {"client_credentials"},
		"client_id":     {os.Getenv("PERSONALISATION_CLIENT_ID")},
		"client_secret": {os.Getenv("PERSONALISATION_CLIENT_SECRET")},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	var answer struct {
		AccessToken string `json:"access_token"`
	}
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		log.Fatal(err)
	}
	return answer.AccessToken
}

func bearer(token string) connect.UnaryInterceptorFunc {
	return func(next connect.UnaryFunc) connect.UnaryFunc {
		return func(ctx context.Context, request connect.AnyRequest) (connect.AnyResponse, error) {
			request.Header().Set("Authorization", "Bearer "+token)
			return next(ctx, request)
		}
	}
}

// One of the contract's names, e.g. CONFIGURATION_UNKNOWN.
func reasonOf(err error) string {
	var failure *connect.Error
	if !errors.As(err, &failure) {
		return ""
	}
	for _, detail := range failure.Details() {
		if value, err := detail.Value(); err == nil {
			if info, ok := value.(*errdetails.ErrorInfo); ok {
				return info.Reason
			}
		}
	}
	return ""
}

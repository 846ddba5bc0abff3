export type { PreviewRecommendationsResponse } from '../../../gen/es/personalisation/v1/preview_service_pb.js';
export type {
  ItemExplanation,
  ListExplanation,
  ListOutcome,
} from '../../../gen/es/personalisation/v1/recommendation_service_pb.js';

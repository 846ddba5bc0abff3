/** Operations that anybody may call where a deployment says nothing else, or with a write key, which stands in every page. */
export const publicOperations = [
  'EventService/CreateEvents',
  'RecommendationService/CreateRecommendations',
  'RecommendationService/GetRecommendationList',
  'SearchService/CreateCompletions',
  'SearchService/CreateSearch',
  'SearchService/GetCompletions',
  'SearchService/GetSearchList',
  'TokenService/CreateToken',
] as const;

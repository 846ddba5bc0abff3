/** Operations that are public by default or allow a write key. */
export const publicOperations = [
  'EventService/CreateEvents',
  'PageService/CreatePage',
  'RecommendationService/CreateRecommendations',
  'RecommendationService/GetRecommendationList',
  'SearchService/CreateCompletions',
  'SearchService/CreateSearch',
  'SearchService/GetCompletions',
  'SearchService/GetSearchList',
  'StatementService/GetListStatement',
  'TokenService/CreateToken',
  'VisitorService/CreateVisitorControl',
] as const;

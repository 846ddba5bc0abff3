export {
  type ListState,
  PersonalisationProvider,
  type SearchState,
  usePersonalisation,
  useRecommendations,
  useSearch,
  useTracking,
} from './hooks.ts';
export * from './server.ts';

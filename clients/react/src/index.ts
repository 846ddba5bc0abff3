export {
  type ListState,
  PersonalisationProvider,
  type RecommendationsOptions,
  recommendationsQuestion,
  type SearchState,
  usePersonalisation,
  useRecommendations,
  useSearch,
  useTracking,
} from './hooks.ts';
export {
  createPersonalisationStore,
  type Entry,
  type PersonalisationState,
  type PersonalisationStore,
  type Question,
} from './store.ts';

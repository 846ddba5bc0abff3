/** `@personalisation/react/server`: the parts for server components, without hooks. */

export { type RecommendationsOptions, recommendationsQuestion } from './question.ts';
export {
  createPersonalisationStore,
  type Entry,
  type PersonalisationState,
  type PersonalisationStore,
  type Question,
} from './store.ts';

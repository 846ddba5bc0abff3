/** `@personalisation/react/server`: what a server component needs, without hooks. */

export { type RecommendationsOptions, recommendationsQuestion } from './question.ts';
export {
  createPersonalisationStore,
  type Entry,
  type PersonalisationState,
  type PersonalisationStore,
  type Question,
} from './store.ts';

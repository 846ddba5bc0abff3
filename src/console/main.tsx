import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import './shell/global.css';
import { language } from './texts/language.ts';
import { loadTexts } from './texts/texts.ts';

document.documentElement.lang = language;
/** Without a top-level `await`: the start's script imports from this module's, and would wait for it for ever. */
void loadTexts()
  .then(() => import('./shell/start.tsx'))
  .then(({ start }) => start(document.getElementById('root')!));

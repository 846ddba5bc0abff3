import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import './shell/global.css';
import { language } from './kit/language.ts';
import { loadTexts } from './kit/texts.ts';

document.documentElement.lang = language;
await loadTexts();
const { start } = await import('./shell/start.tsx');
start(document.getElementById('root')!);

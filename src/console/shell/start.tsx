import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';

export const start = (root: HTMLElement): void => createRoot(root).render(<App />);

import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import './shell/global.css';
import { createRoot } from 'react-dom/client';
import { App } from './shell/app.tsx';

createRoot(document.getElementById('root')!).render(<App />);

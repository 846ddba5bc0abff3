import {
  createTheme,
  defaultVariantColorsResolver,
  type MantineColorsTuple,
  type VariantColorsResolver,
} from '@mantine/core';
import { t } from '../texts/texts.ts';

/** Ink blue: calm for daily use, and AA contrast on both grounds. */
const ink = '#eef1ff #dde2fb #b8c1f2 #919eea #7080e3 #5a6cdf #4353c9 #3846b0 #303c96 #262f78'.split(' ');

/** Greys of the dark theme, tinted with ink. */
const dark = '#d7dae3 #b9bdc9 #969bab #676d7e #434857 #343844 #22252d #1b1d23 #17191e #14151a'.split(' ');

/** Keeps the contrast that small text needs on tinted grounds, in both themes. */
const variantColorResolver: VariantColorsResolver = (input) => {
  const resolved = defaultVariantColorsResolver(input);
  if (input.variant !== 'light') return resolved;
  const shade = (index: number) => `var(--mantine-color-${input.color ?? 'ink'}-${index})`;
  return { ...resolved, color: `light-dark(color-mix(in srgb, ${shade(9)} 62%, black), ${shade(2)})` };
};

const dialog = { closeButtonProps: { 'aria-label': t('Close') }, styles: { title: { fontWeight: 600 } } };

export const theme = createTheme({
  variantColorResolver,
  colors: { ink: ink as unknown as MantineColorsTuple, dark: dark as unknown as MantineColorsTuple },
  primaryColor: 'ink',
  primaryShade: { light: 6, dark: 5 },
  autoContrast: true,
  fontFamily:
    'Inter, ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Noto Color Emoji", sans-serif',
  fontFamilyMonospace:
    'ui-monospace, "SF Mono", SFMono-Regular, Menlo, Consolas, "Noto Sans Mono", monospace',
  fontSizes: { xs: '0.75rem', sm: '0.8125rem', md: '0.875rem', lg: '1rem', xl: '1.125rem' },
  defaultRadius: 'md',
  radius: { xs: '3px', sm: '5px', md: '7px', lg: '10px', xl: '16px' },
  headings: {
    fontWeight: '600',
    sizes: {
      h1: { fontSize: '1.25rem', lineHeight: '1.35' },
      h2: { fontSize: '1rem', lineHeight: '1.4' },
      h3: { fontSize: '0.875rem', lineHeight: '1.4' },
    },
  },
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    TextInput: { defaultProps: { size: 'sm' } },
    Select: { defaultProps: { size: 'sm', allowDeselect: false, checkIconPosition: 'right' } },
    /** What a page is for is `filled`. */
    Button: { defaultProps: { size: 'sm', variant: 'default' } },
    ActionIcon: { defaultProps: { variant: 'default' } },
    SegmentedControl: { defaultProps: { transitionDuration: 0 } },
    Badge: { defaultProps: { variant: 'light', tt: 'none' } },
    Alert: { defaultProps: { variant: 'light' } },
    Modal: { defaultProps: dialog },
    Drawer: { defaultProps: { ...dialog, position: 'right', transitionProps: { duration: 120 } } },
    Tooltip: { defaultProps: { withArrow: true, openDelay: 300 } },
    Table: { defaultProps: { verticalSpacing: 8, horizontalSpacing: 12 } },
    Notification: { defaultProps: { closeButtonProps: { 'aria-label': t('Close') } } },
    Paper: { defaultProps: { withBorder: true, radius: 'lg' } },
  },
});

import { Textarea, type TextareaProps } from '@mantine/core';
import classes from './json-field.module.css';

/** A text in which lines stay as long as they are. */
export function JsonField(props: TextareaProps) {
  return <Textarea autosize spellCheck={false} classNames={{ input: classes.json }} {...props} />;
}

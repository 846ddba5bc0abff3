import { Component, type ReactNode } from 'react';
import { ErrorNotice } from '../kit/page.tsx';

/** Shows a page's failure in place of the page; the rest of the console keeps working. */
export class ErrorBoundary extends Component<{ children: ReactNode }, { error?: Error }> {
  override state: { error?: Error } = {};

  static getDerivedStateFromError(error: Error) {
    return { error };
  }

  override render() {
    const { error } = this.state;
    if (!error) return this.props.children;
    return <ErrorNotice error={error} onRetry={() => this.setState({ error: undefined })} />;
  }
}

import { Component, type ReactNode } from 'react';
import { ErrorNotice } from '../kit/error-notice.tsx';

/** A page that fails leaves the rest of the console as it is. */
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

import { Component, type ReactNode } from "react";

interface ErrorBoundaryProps {
  /** What failed is tried again when it is opened. */
  open: boolean;
  /** Called with what was thrown while it is open; what is contained is gone by then. */
  onFailed: (error: unknown) => void;
  children: ReactNode;
}

interface ErrorBoundaryState {
  readonly failed: boolean;
  readonly open: boolean;
}

/** What fails in it does not take the page around it along: that may hold work which is not saved. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, ErrorBoundaryState> {
  override state: ErrorBoundaryState = { failed: false, open: false };

  static getDerivedStateFromError(): Partial<ErrorBoundaryState> {
    return { failed: true };
  }

  static getDerivedStateFromProps({ open }: ErrorBoundaryProps, before: ErrorBoundaryState): ErrorBoundaryState | null {
    return open === before.open ? null : { failed: before.failed && !open, open };
  }

  override componentDidCatch(error: unknown): void {
    if (this.props.open) this.props.onFailed(error);
  }

  override render(): ReactNode {
    return this.state.failed ? null : this.props.children;
  }
}

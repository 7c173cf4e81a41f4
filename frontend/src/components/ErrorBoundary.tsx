import { Component, type ReactNode } from "react";

interface ErrorBoundaryProps {
  /** Opening renders the children again after an error. */
  open: boolean;
  /** Called with an error that was thrown while it is open. The children are unmounted by then. */
  onFailed: (error: unknown) => void;
  children: ReactNode;
}

interface ErrorBoundaryState {
  readonly failed: boolean;
  readonly open: boolean;
}

/** Keeps an error in its children from unmounting the page, which may hold unsaved work. */
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

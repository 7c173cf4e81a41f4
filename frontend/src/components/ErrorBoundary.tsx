import { Component, type ReactNode } from "react";

interface ContainedProps {
  /** What failed is tried again when it is opened. */
  open: boolean;
  /** Called with what was thrown while it is open; what is contained is gone by then. */
  onFailed: (error: unknown) => void;
  children: ReactNode;
}

interface ContainedState {
  readonly failed: boolean;
  readonly open: boolean;
}

/** What fails in it does not take the page around it along: that may hold work which is not saved. */
export class Contained extends Component<ContainedProps, ContainedState> {
  override state: ContainedState = { failed: false, open: false };

  static getDerivedStateFromError(): Partial<ContainedState> {
    return { failed: true };
  }

  static getDerivedStateFromProps({ open }: ContainedProps, before: ContainedState): ContainedState | null {
    return open === before.open ? null : { failed: before.failed && !open, open };
  }

  override componentDidCatch(error: unknown): void {
    if (this.props.open) this.props.onFailed(error);
  }

  override render(): ReactNode {
    return this.state.failed ? null : this.props.children;
  }
}

import {Component, type ComponentType, type ReactNode} from 'react';

type ErrorBoundaryProps = {
	/** What is shown in place of the part that failed. */
	readonly fallback: ComponentType<{readonly error: unknown}>;
	readonly onError?: (error: unknown) => void;
	readonly children: ReactNode;
};

/** Keeps a failure of one part of the screen from ending the rest. A class, because React has no other way. */
export class ErrorBoundary extends Component<
	ErrorBoundaryProps,
	{readonly error: unknown; readonly hasFailed: boolean}
> {
	static getDerivedStateFromError(error: unknown) {
		return {error, hasFailed: true};
	}

	override readonly state = {error: undefined as unknown, hasFailed: false};

	override componentDidCatch(error: unknown): void {
		this.props.onError?.(error);
	}

	override render(): ReactNode {
		const {error, hasFailed} = this.state;
		const {fallback: Fallback, children} = this.props;
		return hasFailed ? <Fallback error={error} /> : children;
	}
}

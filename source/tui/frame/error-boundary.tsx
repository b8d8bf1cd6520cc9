import {Component, type ComponentType, type ReactNode} from 'react';

type ErrorBoundaryProps = {
	/** Shown in place of the part that failed. */
	readonly fallback: ComponentType<{readonly error: unknown}>;
	readonly onError?: (error: unknown) => void;
	readonly children: ReactNode;
};

/** Contains the failure of one part of the screen. A class, because React offers no other way. */
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

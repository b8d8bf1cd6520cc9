import type {ServerView} from '../../core/tool-server.ts';
import type {World} from '../../core/world.ts';

/** A server that changes all the time is told of at most ten times a second; its last state always is. */
const pauseMs = 100;

/** Tells the faces of tool servers. Disposal keeps back what has not been told yet. */
export type ServerEventThrottle = Disposable & {
	/** The server stands like this now. */
	changed(view: ServerView): void;
	/** The server is gone. */
	removed(server: {readonly profile: string; readonly name: string}): void;
};

type Pause = {waiting: ServerView | undefined; readonly cancel: () => void};

/** Reports servers as events: the first change of a server at once, those that follow within 100 ms together. */
export function createServerEventThrottle({
	clock,
	emit,
}: Pick<World, 'clock' | 'emit'>): ServerEventThrottle {
	const pauses = new Map<string, Pause>();

	const tell = (key: string, server: ServerView) => {
		emit({type: 'server-changed', at: clock.now(), server});
		const cancel = clock.after(pauseMs, () => {
			const waiting = pauses.get(key)?.waiting;
			pauses.delete(key);
			if (waiting) {
				tell(key, waiting);
			}
		});
		pauses.set(key, {waiting: undefined, cancel});
	};

	return {
		changed(view) {
			const key = keyOf(view);
			const pause = pauses.get(key);
			if (pause) {
				pause.waiting = view;
			} else {
				tell(key, view);
			}
		},
		removed(server) {
			const key = keyOf(server);
			pauses.get(key)?.cancel();
			pauses.delete(key);
			const {profile, name} = server;
			emit({type: 'server-removed', at: clock.now(), profile, name});
		},
		[Symbol.dispose]() {
			for (const {cancel} of pauses.values()) {
				cancel();
			}

			pauses.clear();
		},
	};
}

const keyOf = ({profile, name}: {readonly profile: string; readonly name: string}): string =>
	`${profile} ${name}`;

import type {ToolsChange} from '../../approvals/approvals.ts';
import type {Logger} from '../../core/log.ts';
import type {ServerStatus, ServerView} from '../../core/tool-server.ts';
import {toolPlace} from '../../core/tool.ts';
import type {Tool} from '../../core/tool.ts';
import type {World} from '../../core/world.ts';
import type {ServerKey} from '../../store/port.ts';

/** Identifies a server of a profile. */
const keyOf = ({profile, name}: ServerKey): string => `${profile} ${name}`;

/** Throttle of a server's events, milliseconds; its last state is always emitted. */
const pauseMs = 100;

type Pause = {waiting: ServerView | undefined; readonly cancel: () => void};

/** Emits changes of servers: the first at once, those within the next 100 ms as one event. Disposal drops events that have not been emitted. */
export function createServerEventThrottle({clock, emit}: Pick<World, 'clock' | 'emit'>) {
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
		/** The view of a server has changed. */
		changed(view: ServerView) {
			const pause = pauses.get(keyOf(view));
			if (pause) {
				pause.waiting = view;
			} else {
				tell(keyOf(view), view);
			}
		},
		/** A server is gone. */
		removed(server: ServerKey) {
			pauses.get(keyOf(server))?.cancel();
			pauses.delete(keyOf(server));
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

type Saying = {readonly level: 'info' | 'warn'; readonly text: (reason: string) => string};

/** Statuses in progress, or switched off by the file, are not logged. */
const sayings: {readonly [Status in ServerStatus]?: Saying} = {
	lazy: {level: 'info', text: () => 'connects at the first call'},
	connected: {level: 'info', text: () => 'is connected'},
	'needs login': {level: 'warn', text: reason => `needs a login${reason}`},
	failed: {level: 'warn', text: reason => `cannot be connected to${reason}`},
	parked: {level: 'warn', text: reason => `is given up for now${reason}`},
	recycled: {level: 'info', text: reason => `was disconnected${reason}`},
};

/** Logs the status of tool servers when it changes. A repeated failure with the same reason is not logged again before the server has been connected. */
export function createServerLog(log: Logger) {
	const said = new Map<string, {readonly text: string; readonly level: Saying['level']}>();
	return {
		changed({profile, name, status, reason, tools, protocol}: ServerView) {
			const saying = sayings[status];
			if (!saying) {
				return;
			}

			const key = keyOf({profile, name});
			const subject = `Tool server "${name}"`;
			// Some reasons are already sentences about the server.
			const text = reason?.startsWith(`${subject} `)
				? reason
				: `${subject} ${saying.text(reason === undefined ? '' : `: ${reason}`)}`;
			const last = said.get(key);
			if (last?.text === text) {
				return;
			}

			const {level} = saying;
			said.set(key, {text, level});
			// Completes a login that was asked for, or ends a failure.
			log[status === 'connected' && last?.level === 'warn' ? 'note' : level](text, {
				...(profile !== 'default' && {profile}),
				...(status === 'connected' && {tools: tools.length, protocol}),
			});
		},
		removed(server: ServerKey) {
			said.delete(keyOf(server));
			const {profile, name} = server;
			log.info(`Tool server "${name}" is gone`, {...(profile !== 'default' && {profile})});
		},
	};
}

/** Reports the definitions of servers' tools, only when certain and changed: a disconnected server keeps its last tools; a disabled or removed one has none. */
export function createToolDefinitionNotifier(onTools: (change: ToolsChange) => void) {
	/** The tools reported, by profile and name; `none` once a server has no more tools. */
	const told = new Map<string, readonly Tool[] | 'none'>();
	const tell = ({profile, name}: ServerKey, tools: readonly Tool[] | 'none') => {
		const key = keyOf({profile, name});
		if (isSame(told.get(key), tools)) {
			return;
		}

		told.set(key, tools);
		onTools({profile, server: name, ...(tools !== 'none' && toldOf(tools))});
	};

	return {
		/** The view or the tools of a server have changed. */
		changed(view: ServerView, tools: readonly Tool[] = []) {
			if (view.status === 'connected') {
				tell(view, tools);
			} else if (view.status === 'skipped') {
				tell(view, 'none');
			}
		},
		removed(server: ServerKey) {
			tell(server, 'none');
			told.delete(keyOf(server));
		},
	};
}

type AnnouncedTools = readonly Tool[] | 'none' | undefined;

function isSame(before: AnnouncedTools, now: AnnouncedTools): boolean {
	if (typeof before !== 'object' || typeof now !== 'object') {
		return before === now;
	}

	return before.length === now.length && before.every((tool, index) => tool === now[index]);
}

function toldOf(tools: readonly Tool[]): Omit<ToolsChange, 'profile' | 'server'> {
	const asked = tools.flatMap(tool => tool.asked ?? []);
	const [first] = asked;
	return {
		...(first && toolPlace(first.from)),
		definitions: new Map(asked.map(({tool, definition}) => [tool, definition])),
		tools: asked,
	};
}

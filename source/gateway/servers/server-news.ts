import type {ToolsChange} from '../../approvals/approvals.ts';
import type {Logger} from '../../core/log.ts';
import type {ServerStatus, ServerView} from '../../core/tool-server.ts';
import {toolPlace} from '../../core/tool.ts';
import type {Tool} from '../../core/tool.ts';
import type {World} from '../../core/world.ts';
import type {ServerKey} from '../../store/port.ts';

/** Which server of whom. */
const keyOf = ({profile, name}: ServerKey): string => `${profile} ${name}`;

/** A server that changes all the time is told of at most ten times a second; its last state always is. */
const pauseMs = 100;

type Pause = {waiting: ServerView | undefined; readonly cancel: () => void};

/** Reports servers as events: the first change of a server at once, those that follow within 100 ms together. Disposal keeps back what has not been told yet. */
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
		/** The server stands like this now. */
		changed(view: ServerView) {
			const pause = pauses.get(keyOf(view));
			if (pause) {
				pause.waiting = view;
			} else {
				tell(keyOf(view), view);
			}
		},
		/** The server is gone. */
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

/** What is on its way, or was switched off by the file, is not worth a line. */
const sayings: {readonly [Status in ServerStatus]?: Saying} = {
	lazy: {level: 'info', text: () => 'connects at the first call'},
	connected: {level: 'info', text: () => 'is connected'},
	'needs login': {level: 'warn', text: reason => `needs a login${reason}`},
	failed: {level: 'warn', text: reason => `cannot be connected to${reason}`},
	parked: {level: 'warn', text: reason => `is given up for now${reason}`},
	recycled: {level: 'info', text: reason => `was disconnected${reason}`},
};

/** Writes into the log where tool servers stand, once each time that it is news. One that fails again for the same reason is not said again before it has been connected. */
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
			// Some reasons are sentences about it already.
			const text = reason?.startsWith(`${subject} `)
				? reason
				: `${subject} ${saying.text(reason === undefined ? '' : `: ${reason}`)}`;
			const last = said.get(key);
			if (last?.text === text) {
				return;
			}

			const {level} = saying;
			said.set(key, {text, level});
			// A login that was asked for, or a failure that is over.
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

/**
 * Tells which definitions the tools of servers have; only what is known for sure, and only when it is news: a server that is not connected has the tools that it had; one that is switched off or
 * gone has none.
 */
export function createToolDefinitionNotifier(onTools: (change: ToolsChange) => void) {
	/** By profile and name: the tools that were told of; `none` for a server that has none any more. */
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
		/** The server stands like this, with these tools. */
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

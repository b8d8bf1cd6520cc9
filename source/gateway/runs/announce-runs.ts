import {createTimer, every} from '../../core/clock.ts';
import {messageOf} from '../../core/errors.ts';
import type {Logger} from '../../core/log.ts';
import {endsAnswer, lastOfSaid} from '../../core/reduce-runs.ts';
import {hasEnded, type TranscriptEntry} from '../../core/run.ts';
import type {ServerStatus} from '../../core/tool-server.ts';
import {escapeBlock} from '../../core/untrusted.ts';
import type {World} from '../../core/world.ts';
import type {JobKey} from '../../store/job-port.ts';
import type {Runs, ServerKey} from '../../store/port.ts';
import type {LiveServers} from '../servers/live-servers.ts';
import type {WorkDependencies} from './work-run.ts';

/** Announces changes of runs. Never rejects: a run does not depend on its announcement. */
export type RunAnnouncer = ReturnType<typeof createRunAnnouncer>;

/** Connects changes of runs with the faces, the scheduler and the dispatcher. */
export function createRunAnnouncer(
	world: Pick<World, 'clock' | 'emit' | 'log'> & {
		readonly runs: Pick<Runs, 'view'>;
		/** Looks for due runs now; must not throw. */
		readonly wake: () => void;
		/** Called when a run of the job is queued or has ended; must not throw. */
		readonly onJobRun: (job: JobKey) => void;
	},
) {
	const {runs, clock, emit, log, wake, onJobRun} = world;
	const changed = async (runId: number) => {
		try {
			const run = await runs.view(runId);
			if (!run) {
				return;
			}

			emit({type: 'run-changed', at: clock.now(), run});
			if (run.job && (run.state === 'queued' || hasEnded(run.state))) {
				onJobRun({profile: run.profile, id: run.job.id});
			}
		} catch (error) {
			log.warn('Cannot read the run from the journal', {run: runId, error: messageOf(error)});
		}
	};

	return {
		/** The state of a run has changed: tells the faces, and the scheduler if the run is of a job and that affects it. */
		changed,
		/** A run is on disk and queued: announces it like `changed`, and starts it when a worker is free. */
		async queued(runId: number) {
			wake();
			await changed(runId);
		},
	};
}

/** Logs a failure once while it repeats with the same reason: work retried every second must not fill the log while the store is unreachable. */
export function createFailureReport(log: Logger, level: 'error' | 'warn' = 'error') {
	let said = '';
	return Object.assign(
		(what: string, error: unknown) => {
			const text = messageOf(error);
			if (said !== `${what} ${text}`) {
				said = `${what} ${text}`;
				log[level](what, {error: text});
			}
		},
		{
			/** Call after a success. */
			over() {
				said = '';
			},
		},
	);
}

/** Debounce of text deltas, milliseconds: ten updates a second are enough for reading. */
const pauseMs = 100;

/** Emits the text of a run as events: the first delta at once, later ones gathered for 100 ms. Of long text only the end is kept. */
export function createRunWords({clock, emit}: Pick<World, 'clock' | 'emit'>, runId: number) {
	/** Length of the answer without `waiting`, as emitted. */
	let length = 0;
	let waiting = '';
	const pause = createTimer(clock);

	const tell = () => {
		if (waiting === '') {
			return;
		}

		const {at, from, text: said} = lastOfSaid({at: clock.now(), from: length, text: waiting});
		const text = escapeBlock(said);
		length = from + text.length;
		waiting = '';
		emit({type: 'run-said', at, runId, from, text});
		pause.set(pauseMs, tell);
	};

	const begin = () => {
		length = 0;
		waiting = '';
	};

	return {
		/** Receives text, as `AgentRequest.onText`. */
		say(text: string, begins: boolean) {
			if (begins) {
				begin();
			}

			waiting += text;
			if (pause.isFree()) {
				tell();
			}
		},
		/** Called before a transcript entry is emitted: an entry with the whole answer replaces its streamed text. */
		told(entry: Pick<TranscriptEntry, 'kind'>) {
			if (endsAnswer(entry)) {
				begin();
			}
		},
		[Symbol.dispose]() {
			pause[Symbol.dispose]();
			begin();
		},
	};
}

/** How often to look for releases that could not be written or were missed, milliseconds. */
const lookMs = 30_000;

/** States of a server for which a run that awaits a login goes on waiting. */
const waitedFor: ReadonlySet<ServerStatus | undefined> = new Set(['needs login', 'connecting']);

/**
 * Releases runs that await logins as soon as one of their servers changes its state: connected, but also failed, disabled or removed. Runs that already waited when the
 * last process ended are released at once; they check their servers themselves, and wait again if they must.
 *
 * @see manual/runs.md#waiting-for-a-login
 */
export function createLoginWaits(
	world: Pick<World, 'busy' | 'clock' | 'log'> & {
		readonly runs: Pick<Runs, 'release' | 'awaitedLogins'>;
		readonly servers: Pick<LiveServers, 'views' | 'watch'>;
		readonly announce: WorkDependencies['announce'];
	},
) {
	const {clock, runs, servers, busy, announce, log} = world;
	const releasing = new Set<Promise<void>>();
	let closed = false;

	const release = async (which: ServerKey | 'all') => {
		try {
			const released = await runs.release(which);
			await Promise.all(released.map(async id => announce(id)));
		} catch (error) {
			log.error('Cannot let the runs that wait for a login go on, trying again', {
				server: which === 'all' ? undefined : which.name,
				error: messageOf(error),
			});
		}
	};

	const track = async (which: ServerKey | 'all') => {
		if (closed) {
			return;
		}

		const end = busy.begin();
		const released = release(which).finally(() => {
			releasing.delete(released);
			end();
		});
		releasing.add(released);
		await released;
	};

	/** Releases runs whose awaited servers need no login. The servers of a profile that is not open yet are unknown: the run opens it. */
	const look = async (awaited: readonly ServerKey[]) => {
		const views = servers.views();
		const statusOf = ({profile, name}: ServerKey) =>
			views.find(view => view.profile === profile && view.name === name)?.status;
		const needless = awaited.filter(server => !waitedFor.has(statusOf(server)));
		await Promise.all(needless.map(track));
	};

	const unwatch = servers.watch((server, status) => {
		if (!waitedFor.has(status)) {
			void track(server);
		}
	});
	const stopLooking = every(clock, lookMs, async () => {
		try {
			await look((await runs.awaitedLogins()).servers);
		} catch (error) {
			log.warn(`Cannot look which logins are awaited: ${messageOf(error)}`);
		}
	});
	void track('all');

	return {
		async awaitsLogins(profile: string, names: readonly string[]) {
			await look(names.map(name => ({profile, name})));
		},
		async [Symbol.asyncDispose]() {
			closed = true;
			unwatch();
			stopLooking();
			await Promise.all(releasing);
		},
	};
}

import {basename, dirname} from 'node:path';
import type {Approvals, AskingRun} from '../../approvals/approvals.ts';
import {createApprovals} from '../../approvals/create-approvals.ts';
import type {HomePaths} from '../../config/config.ts';
import {userHomeOf} from '../../config/environment.ts';
import type {Approval, ApprovalRule} from '../../core/approval.ts';
import {createTimer} from '../../core/clock.ts';
import {messageOf} from '../../core/errors.ts';
import type {Logger} from '../../core/log.ts';
import {createRepeat} from '../../core/mutex.ts';
import {originOf} from '../../core/origin.ts';
import type {Broker} from '../../core/reduce.ts';
import type {AskedTool, Approve} from '../../core/tool.ts';
import type {ServerManagerDependencies} from '../../mcp/contract.ts';
import type {Store} from '../../store/port.ts';
import type {TakenOver} from '../../store/shared-port.ts';
import type {RoomWorld} from '../rooms.ts';
import {createApprovalLog, askForCall} from './approval-log.ts';

/** The queue of approvals, joined with the journal, its log and the runs. */
export type OpenedApprovals = Approvals & {
	/** Asks about a tool call of a run, for the agent. */
	readonly approve: Approve;
	/** Calls `listener` with each request of the run that waits for a person, and again once it is decided. Returns the unsubscribe function. One listener per run. */
	watch(runId: number, listener: (approval: Approval) => void): () => void;
	/** Hands a form to a person, for the tool servers. */
	readonly fillIn: ServerManagerDependencies['elicit'];
};

/** Opens the queue. Dispose of it after the workers and the tool servers, and before the store and the log. */
export async function openApprovals(
	world: Pick<
		RoomWorld,
		'clock' | 'cluster' | 'environment' | 'paths' | 'taken' | 'live' | 'emit' | 'log' | 'redact'
	> & {
		readonly store: Pick<Store, 'approvals' | 'runs'>;
		readonly broker: Pick<Broker, 'getState'>;
	},
	{
		onAllowed,
	}: {
		/** Called when a person allows a call of a tool as it is defined now. Must not throw. */
		readonly onAllowed?: (tool: AskedTool) => void;
	},
): Promise<OpenedApprovals> {
	const {clock, paths, environment, store, taken, live, emit, log, redact, broker, cluster} = world;
	await using stack = new AsyncDisposableStack();
	const file = stack.use(createApprovalLog(paths, redact));
	const approvalsLog = log.from('approvals');
	const rules = await cluster.read(async () => store.approvals.rules());
	const watchers = new Map<number, (approval: Approval) => void>();
	const approvals = stack.use(
		createApprovals({
			clock,
			emit(event) {
				emit(event);
				if (event.type === 'approval-requested' || event.type === 'approval-settled') {
					watchers.get(event.approval.run ?? 0)?.(event.approval);
				}
			},
			log: approvalsLog,
			keeper: settlingAgain(store.approvals, cluster),
			rules,
			isStopping: () => broker.getState().gateway.stopping,
			audit: approval => file.write(approval),
			userHome: userHomeOf(environment),
			closedFolders: ownFolders(paths),
			...(onAllowed && {onAllowed}),
		}),
	);
	emit({type: 'approval-rules-changed', at: clock.now(), rules: approvals.rules()});
	sayDenied(taken.denied, {file, log: approvalsLog});
	cluster.onTaken(({denied}) => {
		for (const approval of denied) {
			emit({type: 'approval-settled', at: clock.now(), approval});
		}

		sayDenied(denied, {file, log: approvalsLog, whose: 'another gateway'});
	});
	followRules(
		{clock, cluster},
		{
			read: async () => store.approvals.rules(),
			take: async kept => approvals.setKeptRules(kept),
			log: approvalsLog,
		},
	);

	const runFacts = async (id: number, endsAt: number): Promise<AskingRun> => {
		const run = await store.runs.get(id);
		return {
			id,
			// A run of unknown origin counts as started by a stranger.
			origin: originOf(run ?? {}),
			endsAt,
			...(run && {prompt: redact(run.plan.prompt)}),
		};
	};

	const all = stack.move();
	return {
		...approvals,
		watch(runId, listener) {
			watchers.set(runId, listener);
			return () => {
				watchers.delete(runId);
			};
		},
		async approve({tool, runId, endsAt, ...call}) {
			const run = await runFacts(runId, endsAt);
			const {toolServers} = live.current();
			return askForCall(tool, {...call, run}, {approvals, toolServers});
		},
		async fillIn({runId, ...form}) {
			// Only a display: the run's signal ends the form when the run ends, whatever deadline is shown here.
			const endsAt = clock.now() + live.current().runs.timeoutMs;
			return approvals.elicit({
				...form,
				...(runId !== undefined && {run: await runFacts(runId, endsAt)}),
			});
		},
		[Symbol.asyncDispose]: () => all.disposeAsync(),
	};
}

/** Maximum number of decisions kept in memory while the store cannot take them. */
const maxUnkept = 1000;

/** Writes decisions that the store could not take once it is reachable again. Without that, a request would wait forever at the other gateways of a shared store. */
function settlingAgain(
	keeper: Store['approvals'],
	cluster: Pick<RoomWorld['cluster'], 'isShared' | 'onMissed'>,
): Store['approvals'] {
	if (!cluster.isShared) {
		return keeper;
	}

	const unkept = new Map<number, Approval>();
	const again = async () => {
		for (const [id, approval] of unkept) {
			// oxlint-disable-next-line no-await-in-loop -- sequential: after a failure the rest stay for the next time
			await keeper.settle(approval);
			unkept.delete(id);
		}
	};
	cluster.onMissed(() => {
		void again().catch(() => {});
	});
	return {
		...keeper,
		async settle(approval, rule) {
			try {
				return await keeper.settle(approval, rule);
			} catch (error) {
				if (rule === undefined && unkept.size < maxUnkept) {
					unkept.set(approval.id, approval);
				}

				throw error;
			}
		},
	};
}

/** Pause before rules that could not be read are read again, milliseconds. */
const rulesAgainMs = 1000;

/** Reads the rules again when another gateway changes them (a note) or when notes may have been missed; one read at a time. */
function followRules(
	{clock, cluster}: Pick<RoomWorld, 'clock' | 'cluster'>,
	options: {
		readonly read: () => Promise<readonly ApprovalRule[]>;
		readonly take: (rules: readonly ApprovalRule[]) => Promise<void>;
		readonly log: Logger;
	},
): void {
	const {read, take, log} = options;
	if (!cluster.isShared) {
		return;
	}

	const again = createTimer(clock);
	cluster.onLeaving(() => again[Symbol.dispose]());
	const look = createRepeat(async () => {
		try {
			await take(await read());
		} catch (error) {
			log.debug(`Cannot read the approval rules of other gateways: ${messageOf(error)}`);
			again.set(rulesAgainMs, lookSoon);
		}
	});
	const lookSoon = () => {
		void look();
	};

	cluster.onNote(({kind}) => {
		if (kind === 'approval-rules-changed') {
			lookSoon();
		}
	});
	cluster.onMissed(lookSoon);
}

/** Folders whose files contain the rules: the home, and for a profile also the home above it. */
const ownFolders = ({home}: Pick<HomePaths, 'home'>): readonly string[] =>
	basename(dirname(home)) === 'profiles' ? [home, dirname(dirname(home))] : [home];

/** Logs the requests that were denied because their process ended, like any other decision. */
function sayDenied(
	denied: TakenOver['denied'],
	options: {
		readonly file: ReturnType<typeof createApprovalLog>;
		readonly log: Logger;
		readonly whose?: string;
	},
): void {
	const {file, log, whose = 'the last process'} = options;
	for (const approval of denied) {
		file.write(approval);
	}

	if (denied.length > 0) {
		log.warn(`Requests for approval that waited when ${whose} ended were denied`, {
			approvals: denied.map(({id}) => id).join(', '),
		});
	}
}

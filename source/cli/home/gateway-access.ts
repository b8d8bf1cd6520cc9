import {existsSync} from 'node:fs';
import {basePaths} from '../../config/home-paths.ts';
import type {Approval} from '../../core/approval.ts';
import type {Delivery} from '../../core/delivery.ts';
import type {RouteCounts} from '../../core/route-counts.ts';
import type {Run} from '../../core/run.ts';
import type {GatewayCommands, GatewayPort} from '../../gateway/port.ts';
import type {HistoryQuestion, HistoryStep} from '../../store/history/port.ts';
import type {Groups, Journal, Runs} from '../../store/port.ts';
import type {Context} from '../console/context.ts';

/** What the reading commands need: of a gateway that runs, or of the journal on disk when none does. */
export type Records = AsyncDisposable & {
	/** `false`: read from disk, no gateway runs. */
	readonly live: boolean;
	readonly deliveries: Pick<Journal, 'get' | 'list'> &
		Searched<Delivery> & {
			/** What came within a day, by route. */
			count(): Promise<RouteCounts>;
		};
	readonly runs: Pick<Runs, 'get' | 'list'> & Searched<Run>;
	readonly groups: Pick<Groups, 'get' | 'list'>;
	readonly approvals: ApprovalRecords;
};

/** One step of a search with the words of a filter, newest first, which goes on `before` where the last one ended. */
type Searched<Item> = {
	search(
		question: Pick<HistoryQuestion, 'filter' | 'before' | 'limit'>,
	): Promise<HistoryStep<Item>>;
};

type ApprovalRecords = {
	/** Without a gateway nothing waits. */
	list: GatewayCommands['listApprovals'];
	get(id: number): Promise<Approval | undefined>;
	/** Without a gateway, those that outlive one. */
	rules: GatewayCommands['listApprovalRules'];
};

/** Opens the records of the context's home; of a profile that another home serves, its part of those there. @throws SvcError */
export async function openRecords(context: Context): Promise<Records> {
	const gateway = await findGateway(context);
	const served = gateway ? undefined : await recordsElsewhere(context);
	if (served) {
		return served;
	}

	if (gateway) {
		return {
			live: true,
			deliveries: {
				get: id => gateway.getDelivery(id),
				list: filter => gateway.listDeliveries(filter),
				search: question => gateway.searchDeliveries(question),
				count: () => gateway.countRoutes(),
			},
			runs: {
				get: id => gateway.getRun(id),
				list: filter => gateway.listRuns(filter),
				search: question => gateway.searchRuns(question),
			},
			groups: {get: id => gateway.getGroup(id), list: filter => gateway.listGroups(filter)},
			approvals: approvalsOf(gateway),
			async [Symbol.asyncDispose]() {},
		};
	}

	const [{openSqliteReader}, {outlivesGateway}] = await Promise.all([
		import('../../store/sqlite-reader.ts'),
		import('../../core/approvals/outlives-gateway.ts'),
	]);
	const reader = await openSqliteReader(context.paths().stateDb);
	const now = context.clock.now();
	return {
		live: false,
		deliveries: {
			...reader.journal,
			search: question => reader.history.search('deliveries', {...question, now}),
			async count() {
				const {countRoutes} = await import('../../gateway/history/count-routes.ts');
				return countRoutes(reader.history, now);
			},
		},
		runs: {
			...reader.runs,
			search: question => reader.history.search('runs', {...question, now}),
		},
		groups: reader.groups,
		approvals: {
			list: async ({state, limit}) => (state === 'waiting' ? [] : reader.approvals.settled(limit)),
			get: id => reader.approvals.get(id),
			async rules() {
				return (await reader.approvals.rules()).filter(rule => outlivesGateway(rule, now));
			},
		},
		[Symbol.asyncDispose]: () => reader[Symbol.asyncDispose](),
	};
}

const approvalsOf = (gateway: GatewayCommands): ApprovalRecords => ({
	list: filter => gateway.listApprovals(filter),
	get: id => gateway.getApproval(id),
	rules: () => gateway.listApprovalRules(),
});

/** The records of a profile that another home serves. Without a profile nothing is loaded for it. */
async function recordsElsewhere(context: Context): Promise<Records | undefined> {
	const paths = context.paths();
	const base = basePaths(paths);
	if (!base) {
		return undefined;
	}

	const {servingHome} = await import('./serving-home.ts');
	if (!(await servingHome(context))) {
		return undefined;
	}

	const {recordsOfProfile} = await import('./records-of-profile.ts');
	return recordsOfProfile(await openRecords({...context, paths: () => base}), paths.profile);
}

/** Why a profile has no gateway of its own: the home above serves it. Without a profile nothing is loaded for it. */
async function whoServes(context: Context): Promise<string | undefined> {
	const {home, profile} = context.paths();
	if (profile === 'default') {
		return undefined;
	}

	const {servedThere, servingHome} = await import('./serving-home.ts');
	const serving = await servingHome(context);
	return serving && `No gateway runs for "${home}" itself: ${servedThere(serving)}`;
}

/** What to say when no gateway runs for the context's home: who serves its profile, if somebody does, else what `advice` adds. */
export const noGateway = async (context: Context, advice = ''): Promise<string> =>
	(await whoServes(context)) ?? `No gateway runs for "${context.paths().home}"${advice}`;

/** Commands for the gateway that runs for the context's home, `undefined` when none does. @throws SvcError when it does not answer */
export async function findGateway(context: Context): Promise<GatewayCommands | undefined> {
	const [{createControlCalls}, {askForStatus}] = await Promise.all([
		import('../../gateway/control/control-calls.ts'),
		import('../../gateway/control/control-client.ts'),
	]);
	return ifRunning(context, async socket => {
		await askForStatus(socket);
		return createControlCalls(socket);
	});
}

/** The same with its state and its events, for a face. The caller leaves by disposing of it. */
export async function attachGateway(context: Context): Promise<GatewayPort | undefined> {
	return ifRunning(context, async socket => {
		const {connectGateway} = await import('../../gateway/control/remote-port.ts');
		return connectGateway(context, {socket});
	});
}

/** What `reach` makes of the control socket; `undefined` when nobody listens on it. */
async function ifRunning<Reached>(
	context: Context,
	reach: (socket: string) => Promise<Reached>,
): Promise<Reached | undefined> {
	const {socket} = context.paths();
	if (!existsSync(socket)) {
		return undefined;
	}

	const {isNoGateway, isSilentGateway} = await import('../../gateway/control/control-client.ts');
	try {
		return await reach(socket);
	} catch (error) {
		if (isNoGateway(error)) {
			return undefined;
		}

		if (!isSilentGateway(error)) {
			throw error;
		}

		const [{messageOf, SvcError}, {runningPid}] = await Promise.all([
			import('../../core/errors.ts'),
			import('../../gateway/control/lock.ts'),
		]);
		throw new SvcError(
			'gateway_silent',
			`${messageOf(error)}: process ${runningPid(context.paths()) ?? '(unknown)'} runs for this home`,
			{cause: error},
		);
	}
}

/** The gateway that runs for the context's home. @throws SvcError `gateway_not_running` with what to do */
export async function requireGateway(context: Context): Promise<GatewayCommands> {
	const port = await findGateway(context);
	if (!port) {
		const {SvcError} = await import('../../core/errors.ts');
		throw new SvcError(
			'gateway_not_running',
			await noGateway(context, ': start it with "svc", "svc gateway" or "svc gateway run"'),
		);
	}

	return port;
}

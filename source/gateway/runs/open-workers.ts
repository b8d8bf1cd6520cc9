import {isPassing} from '../../agent/model-fetch.ts';
import {type AgentRunnerDependencies, createAgentRunner} from '../../agent/run-agent.ts';
import type {AgentRunner} from '../../agent/runner.ts';
import {defaultProfile} from '../../config/home-paths.ts';
import {isUnsignedRoute} from '../../config/route-refusals.ts';
import type {Approval} from '../../core/approval.ts';
import {codeOf} from '../../core/errors.ts';
import type {TranscriptEntry} from '../../core/run.ts';
import {nextTry} from '../../delivery/deliverer.ts';
import {sweepSocketFolders} from '../../tools/sandbox/egress.ts';
import type {OpenedApprovals} from '../approvals/open-approvals.ts';
import type {LiveModel} from '../live-model.ts';
import type {RoomWorld} from '../rooms.ts';
import type {LiveServers} from '../servers/live-servers.ts';
import {createLoginWaits} from './announce-runs.ts';
import {sweepCheckouts} from './checkout-folder.ts';
import {type Dispatcher, createDispatcher} from './dispatch.ts';
import {type EquipWorld, equipRun, placesOf} from './equip-run.ts';
import {prefetch} from './prefetch.ts';
import {type WorkDependencies, workRun} from './work-run.ts';

/** Connects due runs of the journal with the agent and the deliverer until `stack` is disposed of, which must be before the deliverer and the store. */
export function openWorkers(
	world: RoomWorld,
	given: Pick<
		WorkDependencies,
		'announce' | 'deliverer' | 'grow' | 'keepAnswer' | 'loops' | 'turns'
	> & {
		readonly model: LiveModel;
		readonly servers: LiveServers;
		readonly approvals: Pick<OpenedApprovals, 'approve' | 'runEnded' | 'watch'>;
	},
	stack: AsyncDisposableStack,
): Dispatcher {
	const {model, servers, approvals, ...joined} = given;
	const {cluster, environment, live, random = Math.random, store} = world;
	const {runs, events} = store;
	const config = () => live.current();
	const isUnsigned = (profile: string, name: string) =>
		[...live.routes().routes.values()].some(
			route => route.profile === profile && route.name === name && isUnsignedRoute(route),
		);
	const log = world.log.from('agent');
	const {runner, equip} = createAgents(world, {servers, approvals, isUnsigned});
	const agent = runner(name => model.current(name));
	const {profiles} = config();
	// Before the first run starts.
	const swept = sweepCheckouts(
		[profiles.of(defaultProfile), ...profiles.others].map(({paths}) => paths.home),
		{log},
	);
	stack.defer(async () => swept);
	sweepSocketFolders(placesOf(defaultProfile, config()).svcHome, {log});
	const loginWaits = stack.use(
		createLoginWaits({...world, runs, servers, announce: joined.announce, log}),
	);
	let isReplaced = false;
	const dependencies: Omit<WorkDependencies, 'isHeld'> = {
		...world,
		...joined,
		log,
		runs,
		agent: {
			async run(request) {
				if (request.tools.length === 0) {
					// No request of this run can wait for a person.
					return agent.run(request);
				}

				const waits = new Map<number, () => void>();
				const unwatch = approvals.watch(request.runId, approval => {
					const {id, decision} = approval;
					if (decision) {
						waits.get(id)?.();
						waits.delete(id);
					} else {
						waits.set(id, dispatcher.stepAside(request.runId));
						request.onEntry(waitingEntry(approval));
					}
				});
				try {
					return await agent.run(request);
				} finally {
					unwatch();
					for (const goOn of waits.values()) {
						goOn();
					}

					approvals.runEnded(request.runId);
				}
			},
		},
		equip,
		prefetch: (run, {signal, checkout}) =>
			prefetch(
				run,
				{
					...world,
					forge: config().forge,
					environments: {own: environment, profile: config().profiles.of(run.profile).environment},
					signal,
				},
				checkout,
			),
		awaitsLogins: (profile, names) => loginWaits.awaitsLogins(profile, names),
		settings: () => config().runs,
		onReplaced() {
			if (!isReplaced) {
				isReplaced = true;
				log.error(
					'The program was replaced while it ran: runs wait until the gateway was stopped and started again',
				);
			}
		},
		isPassing: error => codeOf(error) === 'prefetch_failed' || isPassing(error),
		backoffMs: (attempt, tries) => nextTry(attempt, {tries, random}),
	};
	const dispatcher = createDispatcher(
		{
			...world,
			runs,
			events,
			log: world.log.from('gateway'),
			work: (lease, signal, isHeld) => workRun({...dependencies, isHeld}, lease, signal),
		},
		{
			isShared: cluster.isShared,
			// With an unreadable configuration no run starts, since it would decide where answers go.
			concurrency: () => (live.broken.length > 0 || isReplaced ? 0 : config().runs.concurrency),
			limits() {
				const routes = [...live.routes().routes.values()];
				return routes.flatMap(({profile, name: route, concurrency: most}) =>
					most === undefined ? [] : [{profile, route, most}],
				);
			},
		},
	);
	return stack.use(dispatcher);
}

/** The agents of a gateway, and the equipment of their runs. */
export function createAgents(
	world: RoomWorld,
	parts: {
		readonly servers: LiveServers;
		readonly approvals: Pick<OpenedApprovals, 'approve'>;
		readonly isUnsigned: EquipWorld['isUnsigned'];
	},
) {
	const {authorities, live, modelRetries} = world;
	const agentWorld = {
		...world,
		...parts,
		log: world.log.from('agent'),
		config: () => live.current(),
		secureContext: () => authorities.context(),
	};
	const {approve} = parts.approvals;
	return {
		/** An agent that uses the model that `model` chooses. */
		runner: (model: AgentRunnerDependencies['model']): AgentRunner =>
			createAgentRunner(
				{...agentWorld, model, approve},
				modelRetries === undefined ? {} : {maxRetries: modelRetries},
			),
		equip: (async (run, options) =>
			equipRun(run, agentWorld, options)) satisfies WorkDependencies['equip'],
	};
}

/** The transcript entry for a call or a form that waits for a person. */
export function waitingEntry(approval: Approval): TranscriptEntry {
	const {id, requestedAt, deadline} = approval;
	const seconds = Math.round((deadline - requestedAt) / 1000);
	const [what, how, data] =
		approval.kind === 'tool'
			? [
					`call of ${approval.tool.name}`,
					`svc approvals allow ${id}`,
					{
						tool: approval.tool.name,
						...(approval.tool.server !== undefined && {server: approval.tool.server}),
					},
				]
			: [`form of tool server "${approval.server}"`, 'open svc', {server: approval.server}];
	return {
		at: requestedAt,
		kind: 'note',
		text: `The ${what} waits for a person: ${how}; without an answer it is denied after ${seconds} s`,
		data: {approval: id, ...data},
	};
}

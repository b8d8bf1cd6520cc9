import {isPassing} from '../../agent/model-errors.ts';
import {createAgentRunner} from '../../agent/run-agent.ts';
import {defaultProfile} from '../../config/home-paths.ts';
import {isUnsignedRoute} from '../../config/route-refusals.ts';
import {codeOf} from '../../core/errors.ts';
import {nextTry} from '../../delivery/deliverer.ts';
import {sweepSocketFolders} from '../../tools/sandbox/egress.ts';
import type {OpenedApprovals} from '../approvals/open-approvals.ts';
import type {LiveModel} from '../live-model.ts';
import type {RoomWorld} from '../rooms.ts';
import type {LiveServers} from '../servers/live-servers.ts';
import {sweepCheckouts} from './checkout-folder.ts';
import {createDispatcher, type Dispatcher} from './dispatch.ts';
import {equipRun} from './equip-run.ts';
import {createLoginWaits} from './login-waits.ts';
import {prefetch} from './prefetch.ts';
import {placesOf} from './tools-place.ts';
import {waitingEntry} from './waiting-entry.ts';
import {workRun, type WorkDependencies} from './work-run.ts';

/** Joins the journal's due runs with the agent and the deliverer. Dispose of it before the deliverer and the store. */
export function openWorkers(
	world: RoomWorld,
	{
		model,
		servers,
		approvals,
		...joined
	}: Pick<
		WorkDependencies,
		'announce' | 'deliverer' | 'grow' | 'keepAnswer' | 'loops' | 'turns'
	> & {
		readonly model: LiveModel;
		readonly servers: LiveServers;
		readonly approvals: Pick<OpenedApprovals, 'approve' | 'runEnded' | 'watch'>;
	},
): Dispatcher {
	const {
		clock,
		live,
		busy,
		emit,
		environment,
		log,
		redact,
		random = Math.random,
		modelRetries,
	} = world;
	const {runs, events} = world.store;
	const config = () => live.current();
	const isUnsigned = (profile: string, name: string) =>
		[...live.routes().routes.values()].some(
			route => route.profile === profile && route.name === name && isUnsignedRoute(route),
		);
	const agentLog = log.from('agent');
	const agent = createAgentRunner(
		{
			clock,
			model: name => model.current(name),
			approve: approvals.approve,
			redact,
			log: agentLog,
		},
		modelRetries === undefined ? {} : {maxRetries: modelRetries},
	);
	const loginWaits = createLoginWaits({
		clock,
		runs,
		servers,
		busy,
		announce: joined.announce,
		log: agentLog,
	});
	const {profiles} = config();
	// Before the first run starts.
	const swept = sweepCheckouts(
		[profiles.of(defaultProfile), ...profiles.others].map(({paths}) => paths.home),
		{log: agentLog},
	);
	sweepSocketFolders(placesOf(defaultProfile, config()).svcHome, {log: agentLog});
	let isReplaced = false;
	const dependencies: Omit<WorkDependencies, 'isHeld'> = {
		...joined,
		clock,
		runs,
		agent: {
			async run(request) {
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
		emit,
		log: agentLog,
		redact,
		equip: (run, options) =>
			equipRun(
				run,
				{
					clock,
					config,
					environment,
					servers,
					log: agentLog,
					redact,
					isUnsigned,
					secureContext: () => world.authorities.context(),
				},
				options,
			),
		prefetch: (run, {signal, checkout}) =>
			prefetch(
				run,
				{
					clock,
					forge: config().forge,
					environments: {own: environment, profile: config().profiles.of(run.profile).environment},
					signal,
				},
				checkout,
			),
		awaitsLogins: loginWaits.awaitsLogins,
		settings: () => config().runs,
		onReplaced() {
			if (!isReplaced) {
				isReplaced = true;
				agentLog.error(
					'The program was replaced while it ran: runs wait until the gateway was stopped and started again',
				);
			}
		},
		isPassing: error => codeOf(error) === 'prefetch_failed' || isPassing(error),
		backoffMs: (attempt, tries) => nextTry(attempt, {tries, random}),
	};
	const dispatcher = createDispatcher(
		{
			clock,
			runs,
			events,
			busy,
			log: log.from('gateway'),
			work: (lease, signal, isHeld) => workRun({...dependencies, isHeld}, lease, signal),
		},
		{
			isShared: world.cluster.isShared,
			// A configuration that cannot be read must not decide where answers go.
			concurrency: () => (live.broken.length > 0 || isReplaced ? 0 : config().runs.concurrency),
			limits() {
				const routes = [...live.routes().routes.values()];
				return routes.flatMap(({profile, name: route, concurrency: most}) =>
					most === undefined ? [] : [{profile, route, most}],
				);
			},
		},
	);
	return {
		wake() {
			dispatcher.wake();
		},
		abort: runId => dispatcher.abort(runId),
		host: async (lease, work) => dispatcher.host(lease, work),
		get active() {
			return dispatcher.active;
		},
		get places() {
			return dispatcher.places;
		},
		async [Symbol.asyncDispose]() {
			await dispatcher[Symbol.asyncDispose]();
			await loginWaits[Symbol.asyncDispose]();
			await swept;
		},
	};
}

import type {AgentRequest, AgentResult} from '../../../source/agent/runner.ts';
import {codeOf, SvcError} from '../../../source/core/errors.ts';
import type {GatewayEvent} from '../../../source/core/events.ts';
import {silentLogger} from '../../../source/core/log.ts';
import type {RunPlan} from '../../../source/core/run.ts';
import type {Deliverer, Receipt} from '../../../source/delivery/deliverer.ts';
import {createRunAnnouncer} from '../../../source/gateway/runs/announce-runs.ts';
import {workRun} from '../../../source/gateway/runs/work-run.ts';
import type {Runs, Store} from '../../../source/store/port.ts';
import {createFakeClock, type FakeClock} from '../../helpers/fake-clock.ts';
import type {Home} from '../../store/contract.ts';
import {acceptRun, leaseOne, sampleEntry, samplePlan, startMs} from '../../store/samples.ts';
import {createSqliteHome} from '../../store/sqlite-home.ts';

type Message = Parameters<Deliverer['deliver']>[0];

export const answer = (text: string): AgentResult => ({
	answer: text,
	silent: text === '[SILENT]',
	cut: false,
	model: {provider: 'openai-compatible', name: 'gpt-test', origin: 'configured'},
	steps: 1,
	toolCalls: 0,
});

export const unreachable = () => new SvcError('model_unreachable', 'Cannot reach the model');

/** One worker on the real store with an agent and a deliverer that are functions, unless `deliverer` makes a real one. `found`: what another has left, with its clock. */
export async function openWork({
	agent = async () => answer('Looks good'),
	deliver = async () => ({summary: 'posted'}),
	runs = () => ({}),
	problem,
	logins = [],
	isHeld = () => true,
	deliverer: openDeliverer,
	found,
}: {
	readonly agent?: (request: AgentRequest) => Promise<AgentResult>;
	readonly deliver?: (message: Message, signal: AbortSignal) => Promise<Receipt>;
	readonly runs?: (store: Store) => Partial<Runs>;
	readonly problem?: string;
	readonly logins?: readonly string[];
	readonly isHeld?: () => boolean;
	readonly deliverer?: (parts: {readonly store: Store; readonly clock: FakeClock}) => Deliverer;
	readonly found?: {readonly home: Home; readonly clock: FakeClock};
} = {}) {
	const stack = new AsyncDisposableStack();
	const home = stack.use(found?.home ?? (await createSqliteHome()));
	const clock = found?.clock ?? createFakeClock(startMs);
	const store = stack.use(await home.open(clock));
	const real = openDeliverer && stack.use(openDeliverer({store, clock}));
	const events: GatewayEvent[] = [];
	const messages: Message[] = [];
	const requests: AgentRequest[] = [];
	const kept: Array<readonly [number, string]> = [];
	const awaited: string[] = [];
	const answered: Array<number | string> = [];
	const controller = new AbortController();
	return {
		home,
		clock,
		store,
		events,
		messages,
		requests,
		kept,
		awaited,
		answered,
		controller,
		accept: async (plan: Partial<RunPlan> = {}) =>
			acceptRun(store, sampleEntry({}, {plan: {...samplePlan, ...plan}})),
		/** Leases what is due and works on it to its end; the run as it stands then. */
		async work() {
			const lease = await leaseOne(store);
			const emit = (event: GatewayEvent) => {
				events.push(event);
			};
			const journal = {...store.runs, ...runs(store)};
			const announcer = createRunAnnouncer({
				runs: journal,
				clock,
				emit,
				log: silentLogger,
				wake() {},
				onJobRun() {},
			});
			await workRun(
				{
					clock,
					runs: journal,
					announce: id => announcer.changed(id),
					agent: {
						async run(request) {
							requests.push(request);
							return agent(request);
						},
					},
					deliverer: {
						problemWith: target => problem ?? real?.problemWith(target),
						mayRepeat: kind => real?.mayRepeat(kind) ?? false,
						async deliver(message, signal) {
							messages.push(message);
							return real ? real.deliver(message, signal) : deliver(message, signal);
						},
					},
					emit,
					log: silentLogger,
					redact: text => text.replaceAll('hunter2', '[redacted]'),
					equip: async () => ({tools: [], maxSchemaTokens: 20_000, notes: [], logins}),
					prefetch: async () => ({texts: [], notes: []}),
					grow: () => undefined,
					isHeld,
					turns: {begin: async () => undefined, async keep() {}},
					awaitsLogins: async (profile, names) => {
						awaited.push(`${profile} ${names.join(' ')}`);
					},
					loops: {
						heldBy: () => undefined,
						async answered({id}) {
							answered.push(id);
						},
					},
					async keepAnswer(run, text) {
						kept.push([run.id, text]);
					},
					settings: () => ({
						maxSteps: 5,
						timeoutMs: 60_000,
						loginWaitMs: 1000,
						tries: 3,
						deliveryTries: 2,
					}),
					onReplaced() {},
					isPassing: error => codeOf(error) === 'model_unreachable',
					backoffMs: (attempt, tries) => (attempt < tries ? attempt * 1000 : undefined),
				},
				lease,
				controller.signal,
			);
			return store.runs.get(lease.run.id);
		},
		[Symbol.asyncDispose]: () => stack.disposeAsync(),
	};
}

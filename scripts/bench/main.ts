import {resolve} from 'node:path';
import {parseArgs} from 'node:util';
import {describeMachine, printReport, type Report} from './report.ts';

export type BenchOptions = {
	/** How often everything is measured; medians are reported. */
	readonly rounds?: number;
	/** Length of one measurement. */
	readonly seconds?: number;
	/** Of `history`, `start` and `store`: stored deliveries, of the largest home. */
	readonly rows?: number;
	/** Folder for CPU profiles of the program. */
	readonly profile?: string;
	/** Of `webhook`: words, one of which the name of a row has to hold, beside the baselines; of `store`: names of the parts that are measured. */
	readonly only?: readonly string[];
	/** Of `webhook`: numbers of connections; of `chat`: streams at once. */
	readonly connections?: readonly number[];
	/** Of `webhook`, `chat`, `start` and `store`: another checkout, built, which is measured as well. */
	readonly before?: string;
};

const benches: Readonly<Record<string, () => Promise<(options: BenchOptions) => Promise<Report>>>> =
	{
		webhook: async () => (await import('./webhook/bench-webhook.ts')).benchWebhook,
		memory: async () => (await import('./webhook/bench-memory.ts')).benchMemory,
		start: async () => (await import('./start/bench-start.ts')).benchStart,
		mcp: async () => (await import('./mcp/bench-mcp.ts')).benchMcp,
		history: async () => (await import('./history/bench-history.ts')).benchHistory,
		chat: async () => (await import('./chat/bench-chat.ts')).benchChat,
		store: async () => (await import('./store/bench-store.ts')).benchStore,
		sandbox: async () => (await import('./sandbox/bench-sandbox.ts')).benchSandbox,
		tui: async () => (await import('./tui/bench-tui.ts')).benchTui,
	};

const usage = `usage: npm run bench -- ${Object.keys(benches).join('|')} [--rounds N] [--seconds N] [--json FILE] [--profile FOLDER]
history: [--rows N]
store: [--rows N] [--only members|growth|pooled]… [--before CHECKOUT]
start: [--rows N] [--before CHECKOUT]
chat: [--connections STREAMS] [--before CHECKOUT]
webhook: [--only WORDS]… [--connections N,…] [--before CHECKOUT]`;

const numberOf = (text: string | undefined): number | undefined => {
	const value = Number(text);
	return text === undefined || !Number.isFinite(value) || value <= 0 ? undefined : value;
};

const maxConnections = 512;

const countsOf = (text: string | undefined): readonly number[] =>
	(text ?? '').split(',').flatMap(part => {
		const count = numberOf(part);
		return count === undefined ? [] : [Math.min(Math.ceil(count), maxConnections)];
	});

const {values, positionals} = parseArgs({
	allowPositionals: true,
	options: {
		rounds: {type: 'string'},
		seconds: {type: 'string'},
		json: {type: 'string'},
		rows: {type: 'string'},
		profile: {type: 'string'},
		only: {type: 'string', multiple: true},
		connections: {type: 'string'},
		before: {type: 'string'},
	},
});
const [name = ''] = positionals;
const load = Object.hasOwn(benches, name) ? benches[name] : undefined;
if (load) {
	const rounds = numberOf(values.rounds);
	const seconds = numberOf(values.seconds);
	const rows = numberOf(values.rows);
	const {only = []} = values;
	const connections = countsOf(values.connections);
	const bench = await load();
	const before = describeMachine();
	const report = await bench({
		...(rounds !== undefined && {rounds: Math.min(Math.round(rounds), 50)}),
		...(seconds !== undefined && {seconds: Math.min(seconds, 1200)}),
		...(rows !== undefined && {rows}),
		...(values.profile !== undefined && {profile: values.profile}),
		...(only.length > 0 && {only}),
		...(connections.length > 0 && {connections}),
		...(values.before !== undefined && {before: resolve(values.before)}),
	});
	printReport(report, {before, json: values.json});
} else {
	process.stderr.write(`${usage}\n`);
	process.exitCode = 2;
}

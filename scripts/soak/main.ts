import {parseArgs} from 'node:util';

type Soak = (options: {
	readonly rounds: number | undefined;
	readonly minutes: number | undefined;
	readonly only?: readonly string[] | undefined;
}) => Promise<boolean>;

/** Long forms of what `npm test` does briefly. Each says whether everything held. */
const soaks: Readonly<Record<string, () => Promise<Soak>>> = {
	crash: async () => (await import('./crash.ts')).soakCrash,
	clock: async () => (await import('./clock.ts')).soakClock,
	chats: async () => (await import('./chats.ts')).soakChats,
	cluster: async () => (await import('./cluster.ts')).soakCluster,
	slow: async () => (await import('./slow.ts')).soakSlow,
	fuzz: async () => (await import('./fuzz.ts')).soakFuzz,
	stream: async () => (await import('./stream.ts')).soakStream,
	logins: async () => (await import('./logins.ts')).soakLogins,
	approvals: async () => (await import('./approvals.ts')).soakApprovals,
	linear: async () => (await import('./linear.ts')).soakLinear,
	parts: async () => (await import('./parts.ts')).soakParts,
	mail: async () => (await import('./mail.ts')).soakMail,
	codex: async () => (await import('./codex.ts')).soakCodex,
	properties: async () => (await import('./properties.ts')).soakProperties,
	screen: async () => (await import('./screen.ts')).soakScreen,
	tui: async () => (await import('./tui.ts')).soakTui,
};

const {values, positionals} = parseArgs({
	allowPositionals: true,
	options: {
		rounds: {type: 'string'},
		minutes: {type: 'string'},
		only: {type: 'string', multiple: true},
	},
});
const [name = ''] = positionals;
const load = Object.hasOwn(soaks, name) ? soaks[name] : undefined;
const numbers = [values.rounds, values.minutes].map(text =>
	text === undefined ? undefined : Number(text),
);
const [rounds, minutes] = numbers;
if (
	load &&
	numbers.every(number => number === undefined || (Number.isInteger(number) && number > 0))
) {
	const soak = await load();
	process.exitCode = (await soak({rounds, minutes, only: values.only})) ? 0 : 1;
} else {
	process.stderr.write(
		`usage: npm run soak -- ${Object.keys(soaks).join('|')} [--rounds N] [--minutes N, for tui] [--only PART, for cluster]\n`,
	);
	process.exitCode = 2;
}

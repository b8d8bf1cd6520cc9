import {parseArgs} from 'node:util';

type Soak = (options: {readonly rounds: number | undefined}) => Promise<boolean>;

/** Long forms of what `npm test` does briefly. Each says whether everything held. */
const soaks: Readonly<Record<string, () => Promise<Soak>>> = {
	crash: async () => (await import('./crash.ts')).soakCrash,
	clock: async () => (await import('./clock.ts')).soakClock,
	slow: async () => (await import('./slow.ts')).soakSlow,
	fuzz: async () => (await import('./fuzz.ts')).soakFuzz,
	stream: async () => (await import('./stream.ts')).soakStream,
	logins: async () => (await import('./logins.ts')).soakLogins,
	approvals: async () => (await import('./approvals.ts')).soakApprovals,
};

const {values, positionals} = parseArgs({
	allowPositionals: true,
	options: {rounds: {type: 'string'}},
});
const [name = ''] = positionals;
const load = Object.hasOwn(soaks, name) ? soaks[name] : undefined;
const rounds = values.rounds === undefined ? undefined : Number(values.rounds);
if (load && (rounds === undefined || Number.isInteger(rounds))) {
	const soak = await load();
	process.exitCode = (await soak({rounds})) ? 0 : 1;
} else {
	process.stderr.write(`usage: npm run soak -- ${Object.keys(soaks).join('|')} [--rounds N]\n`);
	process.exitCode = 2;
}

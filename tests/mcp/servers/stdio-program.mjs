/**
 * A stdio tool server that behaves as its first argument says: `plain`, `noisy`, `stubborn`, `silent`, `deaf`, `huge`, `crash`, `held`, `endless`. Its tool `about` answers with its pid,
 * its child's and its environment; `hang` never answers, `die` ends it. Plain JavaScript, since Node cannot keep what it compiled where a test says all of the
 * environment: taking the types out costs as much again as the start.
 */
import {spawn} from 'node:child_process';
import {createInterface} from 'node:readline';

const [manner = 'plain', extra = ''] = process.argv.slice(2);
let child;

const say = message => {
	process.stdout.write(`${JSON.stringify({jsonrpc: '2.0', ...message})}\n`);
};

const startChild = stdio => {
	const source = "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)";
	child = spawn(process.execPath, ['-e', source], {stdio}).pid;
};

const text = value => ({
	content: [{type: 'text', text: typeof value === 'string' ? value : JSON.stringify(value)}],
});

const tools = {
	about: () => text({pid: process.pid, child, env: process.env, args: process.argv.slice(2)}),
	echo: args => text(args.message),
	hang: () => undefined,
	die: () => process.exit(7),
	huge: () => text('x'.repeat(11 * 1024 * 1024)),
	'die-after': () => text('last words'),
};

const answers = {
	initialize: params => ({
		protocolVersion: params.protocolVersion,
		capabilities: {tools: {}},
		serverInfo: {name: 'fixture', version: '1.0.0'},
	}),
	ping: () => ({}),
	'tools/list': () => ({
		tools: Object.keys(tools).map(name => ({name, inputSchema: {type: 'object'}})),
	}),
	'tools/call': params => tools[params.name]?.(params.arguments ?? {}),
};

const receive = line => {
	const {id, method, params = {}} = JSON.parse(line);
	const answer = answers[method];
	if (id === undefined || manner === 'silent') {
		return;
	}

	const result = answer?.(params);
	if (!answer) {
		say({id, error: {code: -32601, message: 'Method not found'}});
	} else if (result) {
		say({id, result});
	}

	if (params.name === 'die-after') {
		process.exit(0);
	}
};

const manners = {
	noisy() {
		process.stdout.write('Welcome!\n{"not": "a message"}\n\n{broken\n');
		process.stderr.write(`\u001B[31mred\u001B[0m with ${extra}\n`);
	},
	stubborn() {
		process.on('SIGTERM', () => {});
		setInterval(() => {}, 1000);
		startChild('ignore');
	},
	held() {
		startChild('inherit');
	},
	crash() {
		process.stderr.write(`cannot open the database with ${extra}\n`);
		process.exit(3);
	},
	endless() {
		const part = 'x'.repeat(1024 * 1024);
		const write = () => {
			while (process.stdout.write(part)) {}
			process.stdout.once('drain', write);
		};

		process.stdout.write('{');
		write();
	},
	deaf() {
		setInterval(() => {}, 1000);
	},
};

manners[manner]?.();
if (manner !== 'deaf') {
	createInterface({input: process.stdin}).on('line', receive);
}

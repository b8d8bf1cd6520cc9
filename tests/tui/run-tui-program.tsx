import {execFileSync} from 'node:child_process';
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {systemClock} from '../../source/core/clock.ts';
import {runTui} from '../../source/tui/run-tui.tsx';
import {createFakeLogins} from '../helpers/fake-logins.ts';
import {createFakePort} from '../helpers/fake-port.ts';
import {makeDelivery, received} from '../helpers/make.ts';

/** The whole interface over a gateway that only remembers. SIGUSR2 makes drawing fail, SIGALRM throws in a timer, SIGVTALRM rejects unheard, SIGINT ends the process on the spot, SIGURG makes a file. */
const port = createFakePort();
for (let index = 0; index < 40; index += 1) {
	const delivery = makeDelivery({receivedAt: systemClock.now(), route: `route-${index}`});
	port.deliveries.set(delivery.id, {
		...delivery,
		headers: {},
		body: new TextEncoder().encode('{"a": 1}'),
	});
	port.emit(received(delivery));
}

/** Whether the terminal echoes what is typed, by the word of the terminal itself. */
const echo = () =>
	/ (-?echo) /.exec(
		execFileSync('stty', ['-a'], {stdio: ['inherit', 'pipe', 'inherit'], encoding: 'utf8'}),
	)?.[1];
let echoBefore: string | undefined;
const subscribe = port.subscribe.bind(port);
// The interface listens before it draws.
Object.assign(port, {
	subscribe(listener: Parameters<typeof subscribe>[0]) {
		echoBefore ??= echo();
		return subscribe(listener);
	},
});

let saved = '';
const stop = new AbortController();
process.on('SIGTERM', () => {
	stop.abort();
});
process.on('SIGUSR2', () => {
	// A state that no reducer makes, to see what becomes of the terminal.
	port.change({totals: undefined as never});
});
process.on('SIGALRM', () => {
	setTimeout(() => {
		throw new Error('thrown in a timer');
	}, 0);
});
process.on('SIGVTALRM', () => {
	void Promise.reject(new Error('rejected and unheard'));
});
process.on('SIGURG', () => {
	writeFileSync(join(process.env['SVC_TEST_DIRECTORY'] ?? '', 'alive'), '');
});
// What a person's Ctrl-C in the editor must not reach.
process.on('SIGINT', () => {
	process.exit(99);
});

try {
	const {reason} = await runTui({
		logins: createFakeLogins(),
		port,
		clock: systemClock,
		stdin: process.stdin,
		stdout: process.stdout,
		options: {
			version: '1.0',
			ssh: false,
			editor: process.env['EDITOR'] ?? '',
			pager: process.env['PAGER'] ?? '',
			home: process.env['SVC_TEST_DIRECTORY'] ?? '',
			environment: process.env,
			noColor: Boolean(process.env['NO_COLOR']),
			examine: async () => 'all is well\n',
			readManual: () => undefined,
			manualSettings: () => [],
			signal: stop.signal,
			// As another version may have left it: nothing of it stops the program.
			state: {
				pane: 'gone',
				theme: process.env['SVC_TEST_THEME'] ?? 'puce',
				filters: {traffic: 7, gone: 'x', runs: 'state:done'},
			},
			saveState(state) {
				saved = JSON.stringify(state);
			},
		},
	});
	process.stdout.write(
		`left: ${reason} ${saved}\nbefore the first frame: ${echoBefore}, now: ${echo()}\n`,
	);
	process.exit(0);
} catch (error) {
	process.stdout.write(
		`failed: ${error instanceof Error ? error.name : String(error)}\nnow: ${echo()}\n`,
	);
	process.exit(1);
}

import {expect, test} from 'vitest';
import {createFakePort} from '../../helpers/fake-port.ts';
import {makeServer} from '../../helpers/make-server.ts';
import {makeRun} from '../../helpers/make.ts';
import {showShell, testNow, type ShownShell} from '../../helpers/show-shell.tsx';

const narrow = {columns: 80, rows: 24};
const wide = {columns: 120, rows: 36};

const linkTo = (config: unknown, name = 'crm'): string =>
	`svc://mcp/install?name=${name}&config=${Buffer.from(JSON.stringify(config)).toString('base64url')}`;

const remote = linkTo({url: 'https://crm.example/mcp'});
const program = linkTo({command: 'npx', args: ['-y', '@acme/crm']});

const waiting = (link: string, id = 1) => ({
	id,
	name: 'crm',
	link,
	askedAt: testNow,
	expiresAt: testNow + 600_000,
});

/** A gateway whose person is asked about `link`. */
function asked(link: string, state: Parameters<typeof createFakePort>[0] = {}) {
	const port = createFakePort({...state, installs: [waiting(link)]});
	port.answers.offered = [waiting(link)];
	return port;
}

/** Opens the sheet of the link that waits. */
async function open(shown: ShownShell, restMs = 600) {
	await shown.screen.press('I');
	await shown.pass(restMs);
}

test('a link that was opened elsewhere is a banner; it never takes the keyboard', async () => {
	const port = createFakePort();
	await using shown = await showShell(port, wide);
	port.emit({type: 'installs-changed', at: testNow, installs: [waiting(remote)]});
	await shown.pass(100);
	expect(shown.text()).toContain('! a link wants tool server crm installed · I to look at it');
	expect(shown.shell.view.get().overlay).toBeUndefined();
	await shown.pass(601_000);
	expect(shown.text()).not.toContain('a link wants');
});

test('a remote server is shown whole, and installed with one key that came late enough', async () => {
	const port = asked(remote);
	await using shown = await showShell(port, wide);
	await open(shown, 100);
	expect(shown.text()).toContain('https://crm.example/mcp');
	expect(shown.text()).toContain('"trust": "untrusted"');
	await shown.screen.press('a');
	expect(shown.text()).toContain('Too early');
	expect(port.calls).toEqual([]);
	await shown.pass(1100);
	await shown.screen.press('a');
	await shown.pass(100);
	expect(port.calls).toEqual([{name: 'installServer', args: [{link: remote, name: 'crm'}]}]);
	expect(shown.text()).toContain('crm is installed, untrusted');
});

test('of a program the name is typed, and cannot be pasted', async () => {
	const port = asked(program);
	await using shown = await showShell(port, wide);
	await open(shown);
	await shown.screen.press('a');
	await shown.pass(600);
	expect(shown.text()).toContain("type the server's name to install it");
	// What the sheet shows needs no banner, which would take a row of it.
	expect(shown.text()).not.toContain('a link wants');
	await shown.screen.paste('crm');
	await shown.pass(100);
	expect(shown.text()).toContain('The name has to be typed');
	await shown.screen.press('c', 'r', 'x', 'enter');
	await shown.pass(600);
	expect(shown.text()).toContain('Not installed: its name is crm');
	await shown.screen.press('backspace', 'm');
	await shown.pass(600);
	await shown.screen.press('enter');
	await shown.pass(100);
	expect(port.calls).toEqual([
		{name: 'installServer', args: [{link: program, name: 'crm', typedName: 'crm'}]},
	]);
});

test('at 80×24 all of a long entry has to be seen before a key installs', async () => {
	const link = linkTo({
		url: 'https://crm.example/mcp',
		headers: Object.fromEntries(Array.from({length: 30}, (_, index) => [`x-${index}`, 'v'])),
	});
	const port = asked(link);
	await using shown = await showShell(port, narrow);
	await open(shown);
	await shown.screen.press('G');
	await shown.pass(1000);
	await shown.screen.press('a');
	expect(shown.text()).toContain('Not everything was on the screen');
	await shown.screen.press('g');
	for (let page = 0; page < 4; page += 1) {
		// oxlint-disable-next-line no-await-in-loop -- one page after the other
		await shown.screen.press('pgdn');
		// oxlint-disable-next-line no-await-in-loop -- as above
		await shown.pass(200);
	}

	await shown.pass(1000);
	await shown.screen.press('a');
	await shown.pass(100);
	expect(port.calls).toHaveLength(1);
});

test('a name that is taken cannot be installed; n gives another one, which is a new question', async () => {
	const port = asked(remote, {servers: [makeServer({name: 'crm'})]});
	await using shown = await showShell(port, wide);
	await open(shown);
	await shown.screen.press('a');
	await shown.pass(100);
	expect(port.calls).toEqual([]);
	await shown.screen.press('n');
	await shown.pass(100);
	expect(shown.text()).toContain('> crm-2');
	await shown.screen.press('enter');
	await shown.pass(50);
	expect(shown.text()).toContain('Tool server "crm-2" (the link calls it "crm")');
	await shown.pass(1200);
	await shown.screen.press('a');
	await shown.pass(100);
	expect(port.calls).toEqual([{name: 'installServer', args: [{link: remote, name: 'crm-2'}]}]);
});

test.for([
	['taken back', ['esc'], 'n  give it another name'],
	['typed further', ['-', 'b'], '> crm2-b'],
] as const)('a name that was %s while it was looked up asks nothing', async ([, keys, shows]) => {
	const port = asked(remote);
	await using shown = await showShell(port, wide);
	await open(shown);
	const late = Promise.withResolvers<void>();
	const {reviewInstall} = port;
	port.reviewInstall = async (...args) => {
		await late.promise;
		return reviewInstall(...args);
	};

	await shown.screen.press('n', '2', 'enter', ...keys);
	await shown.pass(100);
	late.resolve();
	await shown.pass(100);
	expect(shown.text()).toContain(shows);
	expect(shown.text()).not.toContain('the link calls it');
});

test('d drops the link, Esc leaves it waiting', async () => {
	const port = asked(remote);
	await using shown = await showShell(port, wide);
	await open(shown);
	await shown.screen.press('esc');
	await shown.pass(200);
	expect(shown.shell.view.get().overlay).toBeUndefined();
	expect(port.calls).toEqual([]);
	await open(shown);
	await shown.screen.press('d');
	await shown.pass(100);
	expect(port.calls).toEqual([{name: 'dismissInstall', args: [1]}]);
});

test('a link is pasted from the palette; what is none says why', async () => {
	await using shown = await showShell(createFakePort(), wide);
	await shown.screen.press('ctrl+k', ...'/install'.split(''), 'enter');
	await shown.pass(100);
	expect(shown.text()).toContain('Paste the link here');
	await shown.screen.paste('https://crm.example');
	await shown.pass(100);
	expect(shown.text()).toContain('it must begin with svc://mcp/install?');
	await shown.screen.paste(`${remote}\n`);
	await shown.pass(100);
	expect(shown.text()).toContain('Tool server "crm"');
});

test('what a link hides is seen, and the screen stays whole', async () => {
	const port = asked(
		linkTo({
			command: 'a\u202eb',
			args: ['\u001b[2J', '\u{1f468}\u200d\u{1f469}', '漢字'.repeat(100)],
		}),
	);
	await using shown = await showShell(port, narrow);
	await open(shown);
	expect(shown.text()).toContain(String.raw`"a\u202eb"`);
	expect(shown.text()).toContain(String.raw`"\u001b[2J"`);
	expect(shown.screen.lines()).toHaveLength(24);
});

test('a link as long as links may be can be pasted', async () => {
	const link = linkTo({command: 'npx', args: ['x'.repeat(32_000)]});
	await using shown = await showShell(createFakePort(), narrow);
	await shown.screen.press('ctrl+k', ...'/install'.split(''), 'enter');
	await shown.screen.paste(link);
	await shown.pass(100);
	expect(shown.text()).toContain('rows 17–');
	expect(shown.text()).toContain('not seen yet: PgDn');
});

test('what is typed after it was installed is not heard by the pane below for half a second', async () => {
	const port = asked(remote, {runs: [makeRun({state: 'running'})]});
	await using shown = await showShell(port, wide, {pane: 'runs'});
	await open(shown);
	await shown.screen.press('a');
	expect(port.calls).toHaveLength(1);
	await shown.pass(499);
	await shown.screen.press('x');
	expect(shown.shell.view.get().overlay).toBeUndefined();
	await shown.pass(1);
	await shown.screen.press('x');
	expect(shown.shell.view.get().overlay?.kind).toBe('confirm');
});

test('a key that means nothing on the sheet puts the one that installs off for half a second', async () => {
	const port = asked(remote);
	await using shown = await showShell(port, wide);
	await open(shown);
	await shown.screen.press('b');
	await shown.pass(499);
	await shown.screen.press('a');
	expect(port.calls).toEqual([]);
	await shown.pass(500);
	await shown.screen.press('a');
	expect(port.calls).toHaveLength(1);
});

test('in a terminal that became too small nothing is installed', async () => {
	const port = asked(remote);
	await using shown = await showShell(port, wide);
	await open(shown);
	await shown.resize({columns: 50, rows: 12});
	await shown.pass(5000);
	await shown.screen.press('a');
	expect(port.calls).toEqual([]);
});

test.for([
	['the filter', ['/']],
	['the palette', [':']],
	['another pane', ['7']],
] as const)(
	'a link that is looked up opens nothing when %s has the keyboard by then',
	async ([, keys]) => {
		const port = asked(remote);
		const late = Promise.withResolvers<void>();
		const {reviewInstall} = port;
		port.reviewInstall = async (...args) => {
			await late.promise;
			return reviewInstall(...args);
		};

		await using shown = await showShell(port, wide);
		await shown.screen.press('I', ...keys);
		const {overlay} = shown.shell.view.get();
		late.resolve();
		await shown.pass(100);
		expect(shown.shell.view.get().overlay).toBe(overlay);
		expect(shown.shell.view.get().toast?.text).toBe('The link was not opened: press I again');
	},
);

test('a link that was pasted opens nothing over another question for a link', async () => {
	const port = createFakePort();
	const late = Promise.withResolvers<void>();
	const {reviewInstall} = port;
	port.reviewInstall = async (...args) => {
		await late.promise;
		return reviewInstall(...args);
	};

	await using shown = await showShell(port, wide);
	const ask = ['ctrl+k', ...'/install'.split(''), 'enter'];
	await shown.screen.press(...ask);
	await shown.screen.paste(remote);
	await shown.screen.press('esc', ...ask);
	late.resolve();
	await shown.pass(100);
	expect(shown.shell.view.get().overlay?.kind).toBe('install-link');
});

import {readFileSync, writeFileSync} from 'node:fs';
import {setImmediate as turn} from 'node:timers/promises';
import {expect, test} from 'vitest';
import {systemClock} from '../../../source/core/clock.ts';
import {silentLogger} from '../../../source/core/log.ts';
import {createSetupCommands} from '../../../source/gateway/commands/setup-commands.ts';
import {createLiveConfig} from '../../../source/gateway/live-config.ts';
import type {Rooms} from '../../../source/gateway/rooms.ts';
import {setupDiff} from '../../../source/tui/dialogs/setup.ts';
import {createTemporaryHome} from '../../config/temporary-home.ts';
import {createFakePort} from '../../helpers/fake-port.ts';
import {showShell} from '../../helpers/show-shell.tsx';

const oldSecret = 'the-secret-that-was-there';

const yaml = `# mine
platforms:
  webhook:
    enabled: true
    host: 127.0.0.1 # this machine
    port: 8700
    secret: ${oldSecret}
`;

/** The real file of a home, and the real commands for setting up. */
async function openHome() {
	// The first command that needs it would take longer than any test waits.
	await import('../../../source/config/set-up.ts');
	const home = createTemporaryHome();
	const {paths} = home;
	writeFileSync(paths.config, yaml);
	const live = createLiveConfig(
		{paths, environment: {}, clock: systemClock, emit() {}, log: silentLogger},
		{async onChange() {}, onSecrets() {}},
	);
	const receiver = {listensOn: () => live.started().webhook};
	const port = createFakePort();
	Object.assign(
		port,
		createSetupCommands({
			clock: systemClock,
			live,
			receiver,
			log: silentLogger,
		} as unknown as Rooms),
	);
	return {
		port,
		written: () => readFileSync(paths.config, 'utf8'),
		[Symbol.dispose]() {
			home[Symbol.dispose]();
		},
	};
}

/** Lets files be read and written until `isSo`. */
async function until(isSo: () => boolean, pass: (ms: number) => Promise<unknown>) {
	while (!isSo()) {
		// oxlint-disable-next-line no-await-in-loop -- files are read and written meanwhile
		await turn();
		// oxlint-disable-next-line no-await-in-loop -- as above
		await pass(1);
	}
}

async function openCard(home: Awaited<ReturnType<typeof openHome>>) {
	const shown = await showShell(home.port, {columns: 100, rows: 36});
	const {screen} = shown;
	const text = () => shown.text();
	const pass = async (ms: number) => shown.pass(ms);
	const see = async (words: string) => until(() => text().includes(words), pass);
	await screen.press(':');
	await screen.type('/setup');
	await screen.press('enter');
	await see('1 of 3: Where it listens');
	return {
		...shown,
		text,
		see,
		[Symbol.asyncDispose]: async () => shown[Symbol.asyncDispose](),
	};
}

test('three steps, a diff, and what was written: with a secret that is shown once and a first route', async () => {
	using home = await openHome();
	await using card = await openCard(home);
	const {screen, text, see, desktop, shell} = card;
	expect(text()).toMatch(/host\* +127\.0\.0\.1/);
	await screen.press('down', 'down', 'enter', 'ctrl+u');
	await screen.type('99999');
	await screen.press('enter', 'a');
	expect(text()).toContain('1 of 3');
	await screen.press('enter', 'ctrl+u');
	await screen.type('8701');
	await screen.press('enter', 'a');
	expect(text()).toMatch(/2 of 3: Its secret[^]*keep the present one/);
	await screen.press('space', 'a');
	expect(text()).toContain('3 of 3: A first route');
	await screen.press('enter');
	await screen.type('first');
	await screen.press('tab');
	await screen.type('push, issues');
	await screen.press('enter', 'a');
	await see('This changes');
	expect(text()).toMatch(/\+ +port: 8701/);
	expect(text()).toContain('the old secret is replaced');
	expect(text()).toMatch(/\+ +first:/);
	expect(text()).toContain('The gateway has to be restarted for platforms.webhook.port.');
	expect(text()).not.toContain(oldSecret);
	expect(home.written()).toBe(yaml);

	await screen.press('a');
	await see('Secret, which will not be shown again');
	const [, secret = ''] = /secret: ([\w-]{43})$/m.exec(home.written()) ?? [];
	expect(secret).not.toBe('');
	expect(text()).toContain(secret);
	expect(home.written()).toContain('# mine\n');
	expect(home.written()).toContain('host: 127.0.0.1 # this machine\n    port: 8701\n');
	expect(home.written()).toMatch(/first:\n +events:\n? +.*push/);
	await screen.press('c');
	await until(
		() => desktop.copied.length > 0,
		async () => {},
	);
	expect(desktop.copied).toEqual([secret]);
	await screen.press('enter');
	expect(shell.view.get().overlay).toBeUndefined();
});

test('a typed secret is masked everywhere; Esc leaves everything untouched at every step', async () => {
	using home = await openHome();
	await using card = await openCard(home);
	const {screen, text, see, shell} = card;
	await screen.press('a', 'space', 'space', 'a');
	expect(text()).toContain('no secret is typed');
	await screen.press('down', 'enter');
	await screen.type('a-new-long-secret');
	expect(text()).not.toContain('a-new-long');
	await screen.press('enter', 'a', 's');
	await see('This changes');
	expect(text()).not.toMatch(/a-new-long-secret|the-secret-that-was-there/);
	// What was typed is asked for, and there again when the person stays.
	await screen.press('esc');
	expect(text()).toContain('Leave without saving?');
	await screen.press('esc');
	await see('This changes');
	await screen.press('esc', 'y');
	expect(shell.view.get().overlay).toBeUndefined();
	expect(home.written()).toBe(yaml);
});

test('somebody who edits the file meanwhile is not written over', async () => {
	using home = await openHome();
	await using card = await openCard(home);
	const {screen, see, shell} = card;
	await screen.press('a', 'space', 'a', 's');
	await see('This changes');
	const file = setupDiff.now(shell)?.plan.file ?? '';
	writeFileSync(file, `${yaml}# theirs\n`);
	await screen.press('a');
	// The path of the home decides where its rows break.
	await until(
		() => card.said().includes('was changed since its diff was made'),
		async ms => card.pass(ms),
	);
	expect(home.written()).toBe(`${yaml}# theirs\n`);
});

test('what would be written is scrolled to its end, and the first key up moves it', async () => {
	using home = await openHome();
	await using card = await openCard(home);
	const {screen, text, see} = card;
	await screen.press('a', 'space', 'a', 'enter');
	await screen.type('first');
	await screen.press('enter', 'a');
	await see('This changes');
	await card.resize({columns: 60, rows: 16});
	expect(text()).not.toContain('a writes it');
	await screen.press(...Array.from({length: 60}, () => 'j'));
	expect(text()).toContain('a writes it');
	const end = text();
	await screen.press('k');
	expect(text()).not.toBe(end);
	await screen.press('j');
	expect(text()).toBe(end);
});

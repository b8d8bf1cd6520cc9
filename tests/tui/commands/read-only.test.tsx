import {expect, test} from 'vitest';
import {perform} from '../../../source/tui/acts/command.ts';
import {commands} from '../../../source/tui/commands/table.ts';
import {createFakePort} from '../../helpers/fake-port.ts';
import {makeToolApproval} from '../../helpers/make-approval.ts';
import {makeDelivery, received} from '../../helpers/make.ts';
import {showShell} from '../../helpers/show-shell.tsx';

/** What changes nothing by itself. A command that is new belongs here, or says `changes`. */
const looking: ReadonlySet<string> = new Set(
	[
		'routes.traffic traffic.mark traffic.mark-all traffic.copy traffic.filter-from-field traffic.pager traffic.run',
		'groups.run groups.copy groups.pager',
		'jobs.last-run jobs.copy',
		'tools.copy',
		'logins.copy-code logins.copy-url logins.copy-tunnel logins.copy logins.qr',
		'routes.copy',
		'editor.undo editor.older editor.newer editor.side-down editor.side-up editor.down editor.up editor.first editor.last editor.page-down editor.page-up editor.find editor.leave',
		'editor-find.done editor-find.next editor-find.previous',
		'editor-text.keep editor-text.done editor-text.next editor-text.previous editor-text.drop',
		'editor-completion.take editor-completion.down editor-completion.up editor-completion.close',
		'editor-diff.down editor-diff.up editor-diff.back',
		'editor-saved.secret editor-saved.url editor-saved.curl editor-saved.close',
		'approvals.open approvals.run approvals.delivery approvals.copy approvals.pager',
		'runs.delivery runs.approvals runs.origin runs.copy runs.mark runs.mark-all runs.toggle runs.unfold runs.fold runs.fold-all runs.pager',
		'logs.all logs.error logs.warn logs.info logs.debug logs.wrap logs.time logs.copy logs.room logs.same logs.origin logs.pager',
		'chat.new chat.find chat.copy chat.copy-all chat.pager chat.run chat.down chat.up chat.first chat.last chat.page-down chat.page-up chat.half-down chat.half-up',
		'chat-text.newline chat-text.leave chat-text.clear chat-text.review chat-text.page-down chat-text.page-up',
		'chat-find.open chat-find.down chat-find.up chat-find.leave',
		'install.review',
		'detail.open detail.close list.filter list.follow help palette states approvals.review quit let-go suspend pane.traffic pane.groups pane.tools pane.logins pane.routes pane.approvals pane.runs pane.logs pane.keys pane.chat move.down move.up move.first move.last move.page-down move.page-up move.half-down move.half-up region.next back list.pause match.next match.previous region.zoom redraw doctor theme.next',
		'field.complete field.complete-back field.accept field.clear field.review field.down field.up',
		'palette.run palette.down palette.up palette.close',
		'help.search help.manual help.close help.accept help.down help.up help.page-down help.page-up',
		'menu.choose menu.down menu.up menu.close',
		'confirm.yes confirm.other confirm.close',
		'act-form.review act-form.close',
		'taken.close',
		'states.down states.up states.close',
		'quit.leave quit.let-go quit.close',
		'first-run.copy first-run.close',
		'approval.copy approval.pager approval.next approval.previous approval.down approval.up approval.page-down approval.page-up approval.first approval.last approval.rule approval.by-hand approval.by-hand-back approval.copy-lines approval.rule-any approval.rule-exact approval.rule-keys approval.rule-mark approval.rule-wider approval.rule-nearer approval.back approval.leave',
		'approval-text.page-down approval-text.page-up approval-text.back',
		'form.down form.up form.first form.last form.next form.previous form.copy form.help',
		'form-text.keep form-text.next form-text.previous form-text.leave form-text.review',
		'trial.review trial.close',
		'keys.copy',
		'key.copy key.kept key.review key.close key.decline',
		'setup.next setup.skip setup.back setup.copy setup.down setup.up setup.review setup.done setup.close',
		'answer.again answer.copy answer.down answer.up answer.page-down answer.page-up answer.first answer.last answer.review answer.close',
		'install.close install.down install.up install.page-down install.page-up install.first install.last',
		'install-text.page-down install-text.page-up install-text.back',
		'install-link.review install-link.close',
		'login-paste.close',
		'type-name.close',
	].flatMap(names => names.split(' ')),
);

test('every command says whether it changes something', () => {
	const undeclared = commands.filter(({id, changes}) => changes !== true && !looking.has(id));
	const twice = commands.filter(({id, changes}) => changes === true && looking.has(id));
	const gone = [...looking].filter(id => !commands.some(command => command.id === id));

	expect({undeclared: undeclared.map(({id}) => id), twice, gone}).toEqual({
		undeclared: [],
		twice: [],
		gone: [],
	});
});

const portThatLooks = () => {
	const port = createFakePort({approvals: [makeToolApproval()]});
	port.emit(received(makeDelivery({})));
	return Object.assign(port, {isReadOnly: true as const});
};

test('a face that only looks does none of them, says why, and opens nothing', async () => {
	const port = portThatLooks();
	await using shown = await showShell(port, {columns: 120, rows: 36});
	const {shell} = shown;
	const before = shell.view.get();
	for (const command of commands.filter(({changes}) => changes)) {
		perform(command, shell);
		expect(shell.view.get().toast).toEqual({text: 'read-only', tone: 'warn'});
		expect({id: command.id, view: {...shell.view.get(), toast: undefined}}).toEqual({
			id: command.id,
			view: before,
		});
	}

	expect(port.calls).toEqual([]);
	expect(shown.logins.attempts()).toEqual([]);
	expect([shown.desktop.edited, shown.desktop.opened]).toEqual([[], []]);
});

test('it is marked in the status row; its keys are not offered in the last row, and struck out in help and palette', async () => {
	await using shown = await showShell(portThatLooks(), {columns: 120, rows: 36});
	expect(shown.screen.lines()[0]).toContain('svc 1.0  read-only  ● :8644');
	expect(shown.screen.lines().at(-1)).not.toContain(' r replay ');
	expect(shown.screen.lines().at(-1)).toContain(' y copy ');
	await shown.screen.press('r');
	expect(shown.shell.view.get().toast?.text).toBe('read-only');
	expect(shown.shell.view.get().overlay).toBeUndefined();

	await shown.pass(4000);
	await shown.screen.press('?');
	expect(shown.text()).toMatch(/r +replay read-only/);
	await shown.screen.press('esc', ':');
	await shown.screen.type('cancel (asks)');
	expect(shown.text()).toMatch(/cancel \(asks\) · read-only .*disabled/);
	await shown.screen.press('enter');
	expect(shown.shell.view.get().overlay).toBeUndefined();
});

test('an approval can be looked at, all of it, and not answered', async () => {
	const port = portThatLooks();
	await using shown = await showShell(port, {columns: 80, rows: 24});
	await shown.screen.press('!');
	await shown.pass(1000);
	expect(shown.text()).toContain('read-only: to be looked at, not answered');
	expect(shown.text()).not.toContain('allow this one call');
	expect(shown.text()).toContain('"acme"');
	for (const key of ['a', 'r', 's', 'd', 'm', 'w', 'D', 'D', 'v', 'A']) {
		// oxlint-disable-next-line no-await-in-loop -- one key after the other
		await shown.screen.press(key);
	}

	await shown.screen.press('esc', 'esc');
	expect(port.calls).toEqual([]);
	expect(port.getState().approvals).toHaveLength(1);
});

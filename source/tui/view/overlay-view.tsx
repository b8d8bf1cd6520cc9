import {Box} from 'ink';
import {literal, safe} from '../../terminal/text/safe.ts';
import {installLayout} from '../commands/install-sheet.ts';
import {sheetNow} from '../commands/sheet.ts';
import {confirmLines, firstRunLines, menuLines, quitLines} from '../overlay/overlay-lines.ts';
import {clean, type Line} from '../panes/line.ts';
import {waitingLogins} from '../panes/logins/login-entry.ts';
import type {Shell} from '../shell/shell.ts';
import {ruleLine} from '../shell/title-parts.ts';
import {useStore} from '../state/use-store.ts';
import type {FirstRunCard, Overlay} from '../state/view.ts';
import {answerRows} from '../trial/answer-rows.ts';
import {HelpView} from './help-view.tsx';
import {InstallBody, InstallLinkBody} from './install-body.tsx';
import {LineBlock} from './line-block.tsx';
import {LineRow} from './line-row.tsx';
import {LoginPasteBody} from './login-paste-body.tsx';
import {PaletteView} from './palette-view.tsx';
import type {RegionProps} from './region.ts';
import {SheetBody} from './sheet-body.tsx';
import {useShell} from './shell-context.ts';
import {TrialBody} from './trial-body.tsx';
import {TypeNameBody} from './type-name-body.tsx';

/** What lies over the panes: drawn instead of the body, under a rule of its own. */
export function OverlayView({overlay, width, height}: RegionProps & {readonly overlay: Overlay}) {
	const shell = useShell();
	// The sheet counts, and so does its title.
	useStore(shell.guard.ticks, count => count);
	useStore(shell.feed, snapshot => (overlay.kind === 'approval' ? snapshot : undefined));
	return (
		<Box flexDirection="column" width={width} height={height} flexShrink={0}>
			<Box height={1} flexShrink={0}>
				<LineRow row={ruleLine(titleOf(overlay, shell), width)} width={width} />
			</Box>
			<OverlayBody overlay={overlay} width={width} height={height - 1} />
		</Box>
	);
}

function titleOf(overlay: Overlay, shell: Shell): readonly Line[] {
	switch (overlay.kind) {
		case 'help':
			return [
				[{text: literal('Help'), tone: 'title'}],
				[{text: shell.pane().title}],
				overlay.query === ''
					? [{text: literal('/ search'), tone: 'quiet'}]
					: [{text: clean(overlay.query), tone: 'accent'}],
			];
		case 'palette':
			return [[{text: literal('Palette'), tone: 'title'}]];
		case 'quit':
			return [[{text: literal('Quit?'), tone: 'title'}]];
		case 'confirm':
		case 'menu':
		case 'type-name':
			return [[{text: overlay.title, tone: 'title'}]];
		case 'first-run':
			return [[{text: literal('Welcome to svc'), tone: 'title'}]];
		case 'approval':
			return sheetNow(shell)?.layout().title ?? [[{text: literal('Approval'), tone: 'title'}]];
		case 'install':
			return installLayout(shell, overlay.sheet).title;
		case 'install-link':
			return [[{text: literal('Install a tool server'), tone: 'title'}]];
		case 'login-paste':
			return [
				[{text: literal('Paste the URL of the browser'), tone: 'title'}],
				[{text: clean(overlay.place.server)}],
			];
		case 'trial':
			return [
				[{text: safe`Try ${clean(overlay.trial.tool)}`, tone: 'title'}],
				[{text: clean(overlay.trial.server)}],
			];
		case 'answer':
			return [
				[
					{
						text: safe`${clean(overlay.trial.tool)} ${overlay.isError ? literal('✗ failed') : literal('✓ answered')}`,
						tone: 'title',
					},
				],
			];
	}
}

function OverlayBody({overlay, width, height}: RegionProps & {readonly overlay: Overlay}) {
	const shell = useShell();
	const block = (rows: readonly Line[]) => (
		<LineBlock rows={rows} top={0} width={width} height={height} />
	);
	switch (overlay.kind) {
		case 'help':
			return <HelpView query={overlay.query} top={overlay.top} width={width} height={height} />;
		case 'palette':
			return (
				<PaletteView query={overlay.query} index={overlay.index} width={width} height={height} />
			);
		case 'quit':
			return block(
				quitLines(
					{
						embedded: shell.port.embedded,
						pid: shell.feed.get().state.gateway.pid,
						consequences: overlay.consequences,
						logins: waitingLogins(shell.logins.attempts()),
					},
					width,
				),
			);
		case 'confirm':
			return block(confirmLines(overlay, width));
		case 'menu':
			return <MenuView overlay={overlay} width={width} height={height} />;
		case 'first-run':
			return <FirstRunView card={overlay.card} width={width} height={height} />;
		case 'approval':
			return <SheetBody width={width} height={height} />;
		case 'install':
			return <InstallBody sheet={overlay.sheet} width={width} height={height} />;
		case 'install-link':
			return <InstallLinkBody text={overlay.text} width={width} height={height} />;
		case 'login-paste':
			return (
				<LoginPasteBody
					text={overlay.text}
					problem={overlay.problem}
					width={width}
					height={height}
				/>
			);
		case 'type-name':
			return <TypeNameBody overlay={overlay} width={width} height={height} />;
		case 'trial':
			return <TrialBody trial={overlay.trial} width={width} height={height} />;
		case 'answer':
			return (
				<LineBlock
					rows={answerRows(overlay.text, width)}
					top={overlay.top}
					width={width}
					height={height}
				/>
			);
	}
}

/** Scrolls as far as shows what is chosen. */
function MenuView({
	overlay,
	width,
	height,
}: RegionProps & {readonly overlay: Extract<Overlay, {kind: 'menu'}>}) {
	const {rows, chosenRow} = menuLines(overlay, width);
	const top = Math.max(0, chosenRow - height + 1);
	return <LineBlock rows={rows} top={top} width={width} height={height} />;
}

function FirstRunView({card, width, height}: RegionProps & {readonly card: FirstRunCard}) {
	const state = useStore(useShell().feed, snapshot => snapshot.state);
	return (
		<LineBlock rows={firstRunLines(card, state, width)} top={0} width={width} height={height} />
	);
}

import {Box} from 'ink';
import {literal, safe} from '../../terminal/text/safe.ts';
import {sheetNow} from '../acts/sheet.ts';
import {installLayout} from '../commands/install-sheet.ts';
import {clean, type Line} from '../lines/line.ts';
import {ruleLine} from '../lines/title-parts.ts';
import type {Dialog} from '../overlay/box-content.ts';
import type {Shell} from '../shell/shell.ts';
import {useStore} from '../state/use-store.ts';
import type {Overlay} from '../state/view.ts';
import {answerRows} from '../trial/answer-rows.ts';
import {LineBlock} from '../view/line-block.tsx';
import {LineRow} from '../view/line-row.tsx';
import type {RegionProps} from '../view/region.ts';
import {useShell} from '../view/shell-context.ts';
import {InstallBody} from './install-body.tsx';
import {SheetBody} from './sheet-body.tsx';

/** What has the whole width: drawn instead of the pane, under a rule of its own. */
type Page = Exclude<Overlay, Dialog>;

/** A sheet that asks a person, or the answer of a tool: what is read there is not to be searched for between rows of a pane. */
export function PageView({overlay, width, height}: RegionProps & {readonly overlay: Page}) {
	const shell = useShell();
	// The sheet counts, and so does its title.
	useStore(shell.guard.ticks, count => count);
	useStore(shell.feed, snapshot => (overlay.kind === 'approval' ? snapshot : undefined));
	return (
		<Box flexDirection="column" width={width} height={height} flexShrink={0}>
			<Box height={1} flexShrink={0}>
				<LineRow row={ruleLine(titleOf(overlay, shell), width)} width={width} />
			</Box>
			<PageBody overlay={overlay} width={width} height={height - 1} />
		</Box>
	);
}

function titleOf(overlay: Page, shell: Shell): readonly Line[] {
	switch (overlay.kind) {
		case 'approval':
			return sheetNow(shell)?.layout().title ?? [[{text: literal('Approval'), tone: 'title'}]];
		case 'install':
			return installLayout(shell, overlay.sheet).title;
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

function PageBody({overlay, width, height}: RegionProps & {readonly overlay: Page}) {
	switch (overlay.kind) {
		case 'approval':
			return <SheetBody width={width} height={height} />;
		case 'install':
			return <InstallBody sheet={overlay.sheet} width={width} height={height} />;
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

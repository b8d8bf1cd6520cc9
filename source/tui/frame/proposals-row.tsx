import {doubtNow, proposalsNow} from '../filter/completing.ts';
import {proposalLine} from '../filter/proposal-line.ts';
import {useStore} from '../state/use-store.ts';
import {LineRow} from '../view/line-row.tsx';
import {useShell} from '../view/shell-context.ts';
import {usePane} from '../view/use-pane.ts';

/** Above the field of a filter: how it may go on, or what is wrong with it. */
export function ProposalsRow({width}: {readonly width: number}) {
	const shell = useShell();
	usePane();
	// The fields of the payload that is there by then.
	useStore(shell.loads, count => count);
	const {words, chosen} = proposalsNow(shell);
	const {filter} = shell.openList()?.get() ?? {};
	const help = {words, chosen, problem: filter?.problem, doubt: doubtNow(shell)};
	return <LineRow row={proposalLine(help, width)} width={width} />;
}

import {EditorBody} from '../../editor/editor-body.tsx';
import {editorNow} from '../../editor/editor-state.ts';
import type {RegionProps} from '../../view/line-block.tsx';
import {NounBody} from '../../view/noun-body.tsx';
import {useStore, useShell} from '../../view/shell-context.ts';
import {routesPane} from './routes.ts';

/** The routes, or the form of the route being edited. */
export function RoutesBody(props: RegionProps) {
	const shell = useShell();
	const edited = useStore(shell.view, () => editorNow(shell));
	const routes = routesPane.sections[0].listing?.noun;
	if (edited) {
		return <EditorBody state={edited} {...props} />;
	}

	return routes && <NounBody of={routes} {...props} />;
}

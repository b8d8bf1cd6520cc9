import type {ComponentType} from 'react';
import {ChatBody} from '../panes/chat/chat-body.tsx';
import {GroupsBody} from '../panes/groups/groups-body.tsx';
import {LogsBody} from '../panes/logs/logs-body.tsx';
import {RoutesBody} from '../panes/routes/routes-body.tsx';
import type {RegionProps} from '../view/line-block.tsx';

/**
 * The component that draws each pane's body, by pane id: usually a list, beside which the frame puts the detail. A pane that lists a noun needs no entry. Separate
 * from `panes`, which are also read without a screen.
 */
export const paneBodies: Readonly<Record<string, ComponentType<RegionProps>>> = {
	groups: GroupsBody,
	routes: RoutesBody,
	logs: LogsBody,
	chat: ChatBody,
};

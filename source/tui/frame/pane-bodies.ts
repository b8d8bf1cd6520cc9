import type {ComponentType} from 'react';
import {ChatBody} from '../panes/chat/chat-body.tsx';
import {GroupsBody} from '../panes/groups/groups-body.tsx';
import {LogsBody} from '../panes/logs/logs-body.tsx';
import {RoutesBody} from '../panes/routes/routes-body.tsx';
import type {RegionProps} from '../view/line-block.tsx';

/** What draws each pane, by its id: a list as a rule, beside which the frame puts the detail. A pane whose list is of a noun needs no entry. Apart from the panes, which are also read without a screen. */
export const paneBodies: Readonly<Record<string, ComponentType<RegionProps>>> = {
	groups: GroupsBody,
	routes: RoutesBody,
	logs: LogsBody,
	chat: ChatBody,
};

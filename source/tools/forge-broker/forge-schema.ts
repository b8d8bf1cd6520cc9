/**
 * The fields that a query may request: those used by `gh pr view|checks|list|diff` and `gh issue view|list` in versions 2.23 to 2.8x, with GitHub's type names. A
 * type for another repository (a fork's) has a name of its own, so that no fragment can request more of it. Fields that list issues, pull requests or repositories
 * elsewhere are left out on purpose.
 */
export const forgeSchema = `
scalar Leaf
scalar PullRequestState
scalar IssueState

type Query { repository: Repository node: Node }
interface Node { id: ID }

type Repository {
  id: Leaf name: Leaf nameWithOwner: Leaf url: Leaf isPrivate: Leaf isArchived: Leaf hasIssuesEnabled: Leaf viewerPermission: Leaf
  owner: RepositoryOwner defaultBranchRef: Ref milestone: Milestone
  pullRequest: PullRequest pullRequests: PullRequestConnection
  issue: Issue issues: IssueConnection issueOrPullRequest: IssueOrPullRequest
}
type HeadRepository { id: Leaf name: Leaf nameWithOwner: Leaf }
union IssueOrPullRequest = Issue | PullRequest

interface Actor { login: Leaf }
interface RepositoryOwner { id: Leaf login: Leaf }
type User implements Actor & RepositoryOwner { id: Leaf login: Leaf name: Leaf }
type Organization implements Actor & RepositoryOwner { id: Leaf login: Leaf name: Leaf }
type Bot implements Actor { id: Leaf login: Leaf }
type Mannequin implements Actor { id: Leaf login: Leaf }
type Team { id: Leaf name: Leaf slug: Leaf organization: Organization }
union RequestedReviewer = User | Team | Bot | Mannequin
union Assignee = User | Bot | Mannequin | Organization

type PageInfo { hasNextPage: Leaf endCursor: Leaf }
type Count { totalCount: Int }
type Ref { name: Leaf branchProtectionRule: BranchProtectionRule }
type BranchProtectionRule { requiresStrictStatusChecks: Leaf requiredApprovingReviewCount: Leaf }
type Milestone { id: Leaf number: Leaf title: Leaf description: Leaf dueOn: Leaf }
type ReactionGroup { content: Leaf users: Count }
type Label { id: Leaf name: Leaf description: Leaf color: Leaf }
type LabelConnection { nodes: Label totalCount: Leaf }
type UserConnection { nodes: User totalCount: Leaf }
type AssigneeConnection { nodes: Assignee totalCount: Leaf }
type Project { name: Leaf }
type ProjectColumn { name: Leaf }
type ProjectCard { project: Project column: ProjectColumn }
type ProjectCardConnection { nodes: ProjectCard totalCount: Leaf }
type ProjectV2 { id: Leaf title: Leaf }
type ProjectV2ItemFieldSingleSelectValue { optionId: Leaf name: Leaf }
union ProjectV2ItemFieldValue = ProjectV2ItemFieldSingleSelectValue
type ProjectV2Item { id: Leaf project: ProjectV2 fieldValueByName: ProjectV2ItemFieldValue }
type ProjectV2ItemConnection { nodes: ProjectV2Item pageInfo: PageInfo totalCount: Leaf }

type IssueComment {
  id: Leaf author: Actor authorAssociation: Leaf body: Leaf createdAt: Leaf includesCreatedEdit: Leaf isMinimized: Leaf
  minimizedReason: Leaf reactionGroups: ReactionGroup url: Leaf viewerDidAuthor: Leaf
}
type IssueCommentConnection { nodes: IssueComment pageInfo: PageInfo totalCount: Leaf }

type Issue implements Node {
  id: ID number: Leaf url: Leaf title: Leaf state: Leaf stateReason: Leaf body: Leaf closed: Leaf closedAt: Leaf createdAt: Leaf
  updatedAt: Leaf isPinned: Leaf author: Actor assignees: UserConnection assignedActors: AssigneeConnection labels: LabelConnection
  milestone: Milestone reactionGroups: ReactionGroup comments: IssueCommentConnection projectCards: ProjectCardConnection
  projectItems: ProjectV2ItemConnection
}
type IssueConnection { nodes: Issue pageInfo: PageInfo totalCount: Leaf }

type PullRequest implements Node {
  id: ID fullDatabaseId: Leaf number: Leaf url: Leaf title: Leaf state: Leaf body: Leaf closed: Leaf closedAt: Leaf createdAt: Leaf
  updatedAt: Leaf isPinned: Leaf additions: Leaf deletions: Leaf changedFiles: Leaf isDraft: Leaf isCrossRepository: Leaf
  maintainerCanModify: Leaf mergeable: Leaf mergeStateStatus: Leaf mergedAt: Leaf reviewDecision: Leaf baseRefName: Leaf baseRefOid: Leaf
  headRefName: Leaf headRefOid: Leaf isInMergeQueue: Leaf isMergeQueueEnabled: Leaf
  author: Actor mergedBy: Actor assignees: UserConnection assignedActors: AssigneeConnection labels: LabelConnection milestone: Milestone
  reactionGroups: ReactionGroup comments: IssueCommentConnection projectCards: ProjectCardConnection projectItems: ProjectV2ItemConnection
  baseRef: Ref headRepository: HeadRepository headRepositoryOwner: RepositoryOwner mergeCommit: CommitName potentialMergeCommit: CommitName
  autoMergeRequest: AutoMergeRequest commits: PullRequestCommitConnection files: PullRequestChangedFileConnection
  reviews: PullRequestReviewConnection latestReviews: PullRequestReviewConnection reviewRequests: ReviewRequestConnection
  statusCheckRollup: StatusCheckRollup
}
type PullRequestConnection { nodes: PullRequest pageInfo: PageInfo totalCount: Leaf }
type AutoMergeRequest { authorEmail: Leaf commitBody: Leaf commitHeadline: Leaf mergeMethod: Leaf enabledAt: Leaf enabledBy: Actor }
type PullRequestChangedFile { additions: Leaf deletions: Leaf path: Leaf changeType: Leaf }
type PullRequestChangedFileConnection { nodes: PullRequestChangedFile pageInfo: PageInfo totalCount: Leaf }
type PullRequestReview {
  id: Leaf author: Actor authorAssociation: Leaf submittedAt: Leaf body: Leaf state: Leaf commit: CommitName reactionGroups: ReactionGroup
  includesCreatedEdit: Leaf url: Leaf
}
type PullRequestReviewConnection { nodes: PullRequestReview pageInfo: PageInfo totalCount: Leaf }
type ReviewRequest { asCodeOwner: Leaf requestedReviewer: RequestedReviewer }
type ReviewRequestConnection { nodes: ReviewRequest pageInfo: PageInfo totalCount: Leaf }

type CommitName { oid: Leaf }
type GitActor { name: Leaf email: Leaf user: User }
type GitActorConnection { nodes: GitActor totalCount: Leaf }
type Commit {
  oid: Leaf messageHeadline: Leaf messageBody: Leaf committedDate: Leaf authoredDate: Leaf authors: GitActorConnection
  statusCheckRollup: StatusCheckRollup
}
type PullRequestCommit { commit: Commit }
type PullRequestCommitConnection { nodes: PullRequestCommit pageInfo: PageInfo totalCount: Leaf }
type StateCount { state: Leaf count: Leaf }
type StatusCheckRollup { state: Leaf contexts: StatusCheckRollupContextConnection }
type StatusCheckRollupContextConnection {
  nodes: StatusCheckRollupContext pageInfo: PageInfo totalCount: Leaf checkRunCount: Leaf checkRunCountsByState: StateCount
  statusContextCount: Leaf statusContextCountsByState: StateCount
}
union StatusCheckRollupContext = CheckRun | StatusContext
type StatusContext { context: Leaf state: Leaf targetUrl: Leaf createdAt: Leaf description: Leaf isRequired: Leaf }
type Workflow { name: Leaf }
type WorkflowRun { event: Leaf workflow: Workflow }
type CheckSuite { workflowRun: WorkflowRun }
type CheckRun {
  name: Leaf status: Leaf conclusion: Leaf startedAt: Leaf completedAt: Leaf detailsUrl: Leaf isRequired: Leaf checkSuite: CheckSuite
}
`;

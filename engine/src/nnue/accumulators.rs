//! Lazily refreshed accumulators of a position and of its parent.
//!
//! At the last ply of a search, every child of a position is evaluated from the accumulator of that position. This one
//! is updated in turn from the accumulator of its parent, which all siblings share. Each is computed when it is first
//! needed, and for each perspective separately.
#![expect(clippy::indexing_slicing, reason = "arrays have one entry for each of the two perspectives")]

/// A step with the positions before and after it, and the perspective to evaluate from.
pub struct Child<'a, P, S> {
    /// Position before the step.
    pub position: &'a P,
    /// Step that leads to `next`.
    pub step: S,
    /// Position after the step.
    pub next: &'a P,
    /// Side whose stones are the own ones in features: 0 for Black, 1 for White.
    pub perspective: usize,
}

impl<P, S: Copy> Copy for Child<'_, P, S> {}

impl<P, S: Copy> Clone for Child<'_, P, S> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

/// Features of a game's evaluation, and their incremental update by a step.
///
/// The provided methods serve a game that evaluates every position from scratch. All three types of such a game may be
/// `()`.
pub trait Features<P, S: Copy> {
    /// Weights in the layout that a search reads.
    type Parameters;

    /// Data of a position from which its features are found, for both perspectives.
    type State: Clone + Default + Send + Sync + 'static;

    /// Sum of the weights of a position's features, from one perspective.
    type Accumulator: Copy + Default + Send + Sync + 'static;

    /// Returns the weights in the layout that a search reads.
    fn parameters(&self) -> &Self::Parameters;

    /// Returns true if a child can be evaluated from the accumulator of the position before.
    ///
    /// With `ADVANCE`, returns true if [`Features::update`] can also compute the child's own state and accumulator.
    /// Every other child is evaluated from scratch.
    #[inline(always)]
    fn is_incremental<const ADVANCE: bool>(&self, _parameters: &Self::Parameters, _child: Child<'_, P, S>) -> bool {
        false
    }

    /// Computes the state of a position.
    ///
    /// `leaf` is the first position that will be evaluated from this state.
    #[inline(always)]
    fn refresh_state(&self, _parameters: &Self::Parameters, _state: &mut Self::State, _position: &P, _leaf: &P) {}

    /// Computes the accumulator of a position from scratch, for one perspective.
    #[inline(always)]
    fn refresh(
        &self,
        _parameters: &Self::Parameters,
        _state: &Self::State,
        _position: &P,
        _perspective: usize,
    ) -> Self::Accumulator {
        Self::Accumulator::default()
    }

    /// Adds the features that a step adds to an accumulator, and subtracts those that it removes.
    ///
    /// `state` is that of the position before. With `ADVANCE` it becomes that of the position after; without, it is the
    /// same again when this returns.
    #[inline(always)]
    fn update<const ADVANCE: bool>(
        &self,
        _parameters: &Self::Parameters,
        _accumulator: &mut Self::Accumulator,
        _state: &mut Self::State,
        _child: Child<'_, P, S>,
    ) {
    }

    /// Returns the value of a child for the side to move there.
    ///
    /// `accumulator` is the child's, `state` that of the position before.
    #[inline(always)]
    fn output(
        &self,
        _parameters: &Self::Parameters,
        _accumulator: &mut Self::Accumulator,
        _state: &Self::State,
        _child: Child<'_, P, S>,
    ) -> i32 {
        0
    }

    /// Returns the value of a child for the side to move there.
    ///
    /// `state` and `before` are the state and the accumulator of the position before.
    ///
    /// A game overrides this where it has a faster way than [`Features::update`] followed by [`Features::output`].
    #[inline(always)]
    fn evaluate_child(
        &self,
        parameters: &Self::Parameters,
        state: &mut Self::State,
        before: &Self::Accumulator,
        child: Child<'_, P, S>,
    ) -> i32 {
        // The compiler keeps a local variable in registers.
        let mut accumulator = *before;
        self.update::<false>(parameters, &mut accumulator, state, child);
        self.output(parameters, &mut accumulator, state, child)
    }
}

/// State and accumulators of one position, computed on demand.
struct Entry<F: Features<P, S>, P, S: Copy> {
    /// Position that `state` belongs to.
    position: Option<P>,
    state: F::State,
    accumulators: [F::Accumulator; 2],
    is_computed: [bool; 2],
}

impl<F: Features<P, S>, P: Copy + PartialEq, S: Copy> Entry<F, P, S> {
    /// Computes the state of a position, unless it is already there.
    #[inline(always)]
    fn refresh_state(&mut self, features: &F, parameters: &F::Parameters, position: &P, leaf: &P) {
        if self.position != Some(*position) {
            features.refresh_state(parameters, &mut self.state, position, leaf);
            self.position = Some(*position);
            self.is_computed = [false; 2];
        }
    }

    /// Computes the accumulator of a perspective, unless it is already there.
    #[inline(always)]
    fn refresh(&mut self, features: &F, parameters: &F::Parameters, position: &P, perspective: usize) {
        if !self.is_computed[perspective] {
            self.accumulators[perspective] = features.refresh(parameters, &self.state, position, perspective);
            self.is_computed[perspective] = true;
        }
    }
}

/// Accumulators of a position and of its parent, for one game and one set of weights.
pub struct Accumulators<F: Features<P, S>, P, S: Copy> {
    /// Parent and the step from it, where the parent is known.
    parent: Option<(P, S)>,
    /// Entry of the parent; stale, of an earlier parent, until it is needed.
    parent_entry: Entry<F, P, S>,
    entry: Entry<F, P, S>,
    /// By perspective, true once `entry` belongs to this position and not to an earlier one.
    is_ready: [bool; 2],
}

impl<F: Features<P, S>, P, S: Copy> Default for Entry<F, P, S> {
    fn default() -> Self {
        Self { position: None, state: F::State::default(), accumulators: Default::default(), is_computed: [false; 2] }
    }
}

impl<F: Features<P, S>, P, S: Copy> Default for Accumulators<F, P, S> {
    fn default() -> Self {
        Self { parent: None, parent_entry: Entry::default(), entry: Entry::default(), is_ready: [false; 2] }
    }
}

impl<F: Features<P, S>, P: Copy + PartialEq, S: Copy> Accumulators<F, P, S> {
    /// Moves on to the position that a step leads to from its parent.
    ///
    /// Nothing is computed before the first child is evaluated.
    #[inline(always)]
    pub fn refresh(&mut self, parent: Option<(&P, S)>) {
        self.parent = parent.map(|(parent, step)| (*parent, step));
        self.is_ready = [false; 2];
    }

    /// Returns the value of a child of the position for the side to move there.
    ///
    /// Returns `None` where the child must be evaluated from scratch.
    #[inline(always)]
    pub fn evaluate_child(&mut self, features: &F, child: Child<'_, P, S>) -> Option<i32> {
        let parameters = features.parameters();
        if !features.is_incremental::<false>(parameters, child) {
            return None;
        }
        if !self.is_ready[child.perspective] {
            self.make_ready(features, parameters, child);
        }
        let Entry { state, accumulators, .. } = &mut self.entry;
        let before = &accumulators[child.perspective];
        Some(features.evaluate_child(parameters, state, before, child))
    }

    /// Computes the accumulator from which children are evaluated: from the parent's where possible.
    #[inline(always)]
    fn make_ready(&mut self, features: &F, parameters: &F::Parameters, child: Child<'_, P, S>) {
        let Self { parent_entry, entry, .. } = self;
        let (position, leaf, perspective) = (child.position, child.next, child.perspective);
        let last = self.parent.as_ref().map(
            #[inline(always)]
            |(parent, step)| Child { position: parent, step: *step, next: position, perspective },
        );
        match last {
            Some(last) if features.is_incremental::<true>(parameters, last) => {
                parent_entry.refresh_state(features, parameters, last.position, leaf);
                parent_entry.refresh(features, parameters, last.position, perspective);
                entry.position = None;
                entry.state.clone_from(&parent_entry.state);
                let accumulator = &mut entry.accumulators[perspective];
                *accumulator = parent_entry.accumulators[perspective];
                features.update::<true>(parameters, accumulator, &mut entry.state, last);
            }
            _ => {
                entry.refresh_state(features, parameters, position, leaf);
                entry.refresh(features, parameters, position, perspective);
            }
        }
        self.is_ready[perspective] = true;
    }
}
